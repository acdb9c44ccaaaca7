// The conversation: its rows, older ones on scrolling up, and following the end.
import { createEffect, createMemo, createSelector, createSignal, For, onCleanup, onMount, Show, untrack, type JSX } from "solid-js";

import { outbox, type Block, type ChatHandle, type ChatState } from "../../state";
import { OutgoingMessage } from "../blocks/message/OutgoingMessage";
import { changedFiles } from "../chat/changes";
import { foldState } from "../controls/fold/foldState";
import { Skeleton } from "../controls/Skeleton";
import { DownIcon } from "../icons";
import { foldsAround, rowWith, takeScrollTarget } from "./scrollTarget";
import { saveScroll, takeSavedScroll, type SavedScroll } from "./savedScroll";
import { rowsOf, type Row as RowShape } from "./rows";
import { NO_TURN, Row, type PastTurn } from "./Row";
import { createScrolling } from "./scrolling";
import { createShownRows } from "./shownRows";
import { WorkingLine } from "./WorkingLine";

/** Rows this near the end are always laid out, so that the end is positioned exactly. */
const NEAR_END = 30;
/** A scroll position more than this many pages up is not restored. */
const MOST_PAGES = 40;
/** Distance of a requested block from the top of the view. */
const GAP_PIXELS = 24;

export function Conversation(props: { chat: ChatHandle; state: ChatState }): JSX.Element {
  const scrolling = createScrolling();
  const shown = createShownRows(scrolling.isAtEnd);
  const rows = createMemo<RowShape[]>((before) => rowsOf(props.state.blocks, props.state.head.turn?.id, before), []);
  const byKey = createMemo(() => new Map(rows().map((row) => [row.key, row])));
  const keys = createMemo(() => rows().slice(-shown.count()).map((row) => row.key));
  /** The turn whose start is not loaded. */
  const isPart = createSelector(() => {
    const first = props.chat.hasOlder ? props.state.blocks[0] : undefined;
    return first?.kind === "message" ? undefined : first?.turn;
  });
  /** The summary of a turn is final at its end, except that its start may be loaded later. */
  function turnAt(key: string): PastTurn {
    const row = untrack(() => byKey().get(key));
    if (row?.kind !== "block" || row.block.kind !== "turn") return NO_TURN;
    const { turn } = row.block;
    const isTurnPart = turn !== undefined && isPart(turn);
    if (isTurnPart) void props.state.blocks[0]?.pos;
    return untrack(() => pastTurn(props.state.blocks, turn, isTurnPart));
  }
  const hasMore = () => shown.count() < rows().length || props.chat.hasOlder;
  let box!: HTMLDivElement;
  let column!: HTMLDivElement;

  function more() {
    if (!shown.grow(rows().length)) void props.chat.loadOlder().then(() => shown.grow(rows().length));
  }
  const rowAt = (key: string) => column.querySelector(`[data-row="${CSS.escape(key)}"]`);
  /** Restore the scroll position from before a reload. */
  async function returnTo({ key, top }: SavedScroll) {
    const find = () => rows().findIndex((row) => row.key === key);
    for (let pages = 0; find() < 0 && props.chat.hasOlder && pages < MOST_PAGES; pages += 1) await props.chat.loadOlder();
    const at = find();
    while (at >= 0 && at < rows().length - shown.count() && shown.grow(rows().length));
    const row = rowAt(key);
    if (row) scrolling.toPlace({ row, top });
  }
  async function show(pos: number) {
    const row = rowWith(rows(), pos);
    if (!row) return;
    for (const fold of foldsAround(row, pos) ?? []) foldState(`${props.state.id}:${fold}`).set(true);
    while (rows().indexOf(row) < rows().length - shown.count() && shown.grow(rows().length));
    // The sheet that requested it returns the focus as it closes.
    await new Promise(requestAnimationFrame);
    const place = column.querySelector<HTMLElement>(`[data-block="${pos}"]`);
    if (!place) return;
    place.querySelector<HTMLElement>("summary")?.focus({ preventScroll: true });
    scrolling.toPlace({ row: place, top: GAP_PIXELS });
  }
  createEffect(() => {
    const pos = takeScrollTarget(props.state.id);
    if (pos !== undefined) void untrack(() => show(pos));
  });
  function currentScroll(): SavedScroll | undefined {
    const place = scrolling.place();
    const key = place?.row.getAttribute("data-row");
    return place && key ? { key, top: place.top } : undefined;
  }
  onMount(() => {
    scrolling.attach(box, column);
    saveScroll(props.state.id, currentScroll);
    const left = takeSavedScroll(props.state.id);
    if (left) void returnTo(left);
  });

  return (
    <div class="conversation">
      <div class="scroller" ref={box} role="region" aria-label="Conversation" tabindex="0">
        <div class="column" ref={column}>
          <Show when={hasMore()}>
            <OlderRows isLoading={props.chat.isLoadingOlder} root={() => box} onNear={more} />
          </Show>
          <For each={keys()}>
            {(key, at) => (
              <div class="row" data-row={key} classList={{ "row-far": at() < keys().length - NEAR_END }}>
                <Row
                  row={byKey().get(key)!}
                  isLast={at() === keys().length - 1}
                  turn={() => turnAt(key)}
                />
              </div>
            )}
          </For>
          <For each={outbox(props.state.id)}>
            {(message) => (
              <div class="row">
                <OutgoingMessage message={message} />
              </div>
            )}
          </For>
          <WorkingLine state={props.state} />
        </div>
      </div>
      <Show when={!scrolling.isAtEnd()}>
        <NewBelow seq={props.state.head.seq} onPress={() => scrolling.toEnd()} />
      </Show>
    </div>
  );
}

/** Loads more as soon as it comes near the view. */
function OlderRows(props: { isLoading: boolean; root: () => HTMLElement; onNear: () => void }): JSX.Element {
  let line!: HTMLDivElement;
  onMount(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    // It may stay in view after rows were added; then the observer does not fire again.
    const watch = new IntersectionObserver(
      ([entry]) => {
        clearInterval(timer);
        if (!entry?.isIntersecting) return;
        props.onNear();
        timer = setInterval(() => props.onNear(), 250);
      },
      { root: props.root(), rootMargin: "800px 0px 0px 0px" },
    );
    watch.observe(line);
    onCleanup(() => {
      watch.disconnect();
      clearInterval(timer);
    });
  });
  return (
    <div class="row row-older" ref={line}>
      <Skeleton lines={3} label={props.isLoading ? "Loading earlier messages" : "Earlier messages"} />
    </div>
  );
}

function NewBelow(props: { seq: number; onPress: () => void }): JSX.Element {
  const [since] = createSignal(untrack(() => props.seq));
  return (
    <button type="button" class="new-below" onClick={() => props.onPress()}>
      <DownIcon />
      <Show when={props.seq > since()} fallback={<span class="unseen">Jump to latest</span>}>
        New messages
      </Show>
    </button>
  );
}

/** The text and changes of a turn. */
function pastTurn(blocks: readonly Block[], turn: string | undefined, isPart: boolean): PastTurn {
  const own = blocks.filter((block) => block.turn === turn);
  const answer = own
    .filter((block) => block.kind === "text")
    .filter((block) => block.tool_call_id === undefined && !block.superseded)
    .map((block) => block.text.trim())
    .filter(Boolean)
    .join("\n\n");
  return { answer, files: changedFiles(own).length, isPart };
}
