// The conversation: its rows, older ones as a person goes up, and the end held in view while they are at the end.
import { createEffect, createMemo, createSelector, createSignal, For, onCleanup, onMount, Show, untrack, type JSX } from "solid-js";

import { outbox, type Block, type ChatHandle, type ChatState } from "../../state";
import { OutgoingMessage } from "../blocks/OutgoingMessage";
import { changedFiles } from "../chat/changes";
import { opened } from "../controls/opened";
import { Skeleton } from "../controls/Skeleton";
import { DownIcon } from "../icons";
import { foldsAround, rowWith, takeGoal } from "./goal";
import { keepPlace, takePlace, type LeftPlace } from "./leftPlace";
import { rowsOf, type Row as RowShape } from "./rows";
import { NO_TURN, Row, type PastTurn } from "./Row";
import { createScrolling } from "./scrolling";
import { createShownRows } from "./shownRows";
import { WorkingLine } from "./WorkingLine";

/** Rows this near the end are always laid out, so that the end is exactly where it seems. */
const NEAR_END = 30;
/** Further up than this many pages of older blocks nobody is brought back. */
const MOST_PAGES = 40;
/** What somebody asked to see comes so far below the top of the view. */
const GAP_PIXELS = 24;

export function Conversation(props: { chat: ChatHandle; state: ChatState }): JSX.Element {
  const scrolling = createScrolling();
  const shown = createShownRows(scrolling.isAtEnd);
  const rows = createMemo<RowShape[]>((before) => rowsOf(props.state.blocks, props.state.head.turn?.id, before), []);
  const byKey = createMemo(() => new Map(rows().map((row) => [row.key, row])));
  const keys = createMemo(() => rows().slice(-shown.count()).map((row) => row.key));
  /** The turn whose beginning is not at hand. */
  const isPart = createSelector(() => {
    const first = props.chat.hasOlder ? props.state.blocks[0] : undefined;
    return first?.kind === "message" ? undefined : first?.turn;
  });
  /** What a turn was is settled at its end, except that its beginning may come later. */
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
  /** Where they were before a reload, however far up. */
  async function returnTo({ key, top }: LeftPlace) {
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
    for (const fold of foldsAround(row, pos) ?? []) opened(`${props.state.id}:${fold}`).set(true);
    while (rows().indexOf(row) < rows().length - shown.count() && shown.grow(rows().length));
    // A sheet it was asked for from gives the focus back as it closes.
    await new Promise(requestAnimationFrame);
    const place = column.querySelector<HTMLElement>(`[data-block="${pos}"]`);
    if (!place) return;
    place.querySelector<HTMLElement>("summary")?.focus({ preventScroll: true });
    scrolling.toPlace({ row: place, top: GAP_PIXELS });
  }
  createEffect(() => {
    const pos = takeGoal(props.state.id);
    if (pos !== undefined) void untrack(() => show(pos));
  });
  function leftPlace(): LeftPlace | undefined {
    const place = scrolling.place();
    const key = place?.row.getAttribute("data-row");
    return place && key ? { key, top: place.top } : undefined;
  }
  onMount(() => {
    scrolling.attach(box, column);
    keepPlace(props.state.id, leftPlace);
    const left = takePlace(props.state.id);
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

/** Asks for more as soon as it comes near the view. */
function OlderRows(props: { isLoading: boolean; root: () => HTMLElement; onNear: () => void }): JSX.Element {
  let line!: HTMLDivElement;
  onMount(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    // It may stay in view after some rows came; then the observer has nothing new to tell.
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
      <Show when={props.seq > since()} fallback={<span class="unseen">To the end</span>}>
        New below
      </Show>
    </button>
  );
}

/** What was said and changed in a turn. */
function pastTurn(blocks: readonly Block[], turn: string | undefined, isPart: boolean): PastTurn {
  const own = blocks.filter((block) => block.turn === turn);
  const answer = own
    .filter((block) => block.kind === "text" && block.tool_call_id === undefined && !block.superseded)
    .map((block) => (block as { text: string }).text.trim())
    .filter(Boolean)
    .join("\n\n");
  return { answer, files: changedFiles(own).length, isPart };
}
