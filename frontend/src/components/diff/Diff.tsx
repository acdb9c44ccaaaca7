// A change to a file: changed lines with context, and the words that differ.
import { createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";

import type { DiffContent } from "../../state";
import { CopyButton } from "../controls/copy/CopyButton";
import { useChatContext } from "../conversation/chatContext";
import { folderOf, within } from "../paths";
import { visibleText } from "../question/content/visibleText";
import { diffOf, isPart } from "../tool/toolLabels";
import { ChangeCount } from "./ChangeCount";
import { CONTEXT, hunksOf, type Hunk } from "./lines";
import { SplitLines } from "./SplitLines";
import { UnifiedLines } from "./UnifiedLines";
import { wordMarks } from "./wordDiff";

/** Room for two columns of code. */
const WIDE_PIXELS = 860;
const LINES_AT_FIRST = 240;

export function Diff(props: {
  content: DiffContent;
  /** Every changed line is in view from the start. */
  isWhole?: boolean;
  /** Unchanged lines around a change. All of them, if only the agent says that they are unchanged. */
  context?: number;
}): JSX.Element {
  const context = useChatContext();
  const diff = createMemo(() => diffOf(props.content));
  const path = () => visibleText(within(context.workspace, props.content.path ?? "a file"));
  const what = () => {
    if (props.content.oldText == null) return "new file";
    return props.content.newText === "" && props.content.from_line === undefined ? "emptied" : "";
  };
  const isSame = () => (props.content.oldText ?? "") === (props.content.newText ?? "");
  const hasChange = () => diff().added + diff().removed > 0;
  const isClaimed = () => props.context === Infinity && diff().lines.some((line) => line.mark === "same");
  return (
    <div class="diff" role="group" aria-label={`Changes to ${path()}`}>
      <header class="diff-head">
        <span class="diff-path mono">
          <span class="quiet">{folderOf(path())}</span>
          {path().slice(folderOf(path()).length)}
        </span>
        <Show when={what()}>{(word) => <span class="chip">{word()}</span>}</Show>
        <Show when={!isPart(props.content)}>
          <ChangeCount added={diff().added} removed={diff().removed} />
        </Show>
        <CopyButton text={() => props.content.path ?? ""} label="Copy path" />
      </header>
      <Show when={hasChange() || isClaimed()}>
        <Lines content={props.content} isWhole={props.isWhole ?? false} context={props.context ?? CONTEXT} />
      </Show>
      <Show when={isClaimed()}>
        <p class="diff-note">According to the agent, the unmarked lines are already in the file.</p>
      </Show>
      <Show when={isPart(props.content)}>
        <p class="diff-note">Only part of this change is shown.</p>
      </Show>
      <Show when={!hasChange() && !(isClaimed() && isSame()) && !isPart(props.content)}>
        <p class="diff-note">{isSame() ? "No changes." : "Only line endings differ."}</p>
      </Show>
    </div>
  );
}

function Lines(props: { content: DiffContent; isWhole: boolean; context: number }): JSX.Element {
  const [isWide, setWide] = createSignal(false);
  const [isAsked, setAsked] = createSignal(false);
  const isWhole = () => isAsked() || props.isWhole;
  let box!: HTMLDivElement;
  onMount(() => {
    const watch = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= WIDE_PIXELS));
    watch.observe(box);
    onCleanup(() => watch.disconnect());
  });
  const hunks = createMemo(() => hunksOf(diffOf(props.content).lines, props.context));
  const count = () => hunks().reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const shown = createMemo(() => (isWhole() ? hunks() : firstOf(hunks(), LINES_AT_FIRST)));
  const marks = createMemo(() => wordMarks(shown().flatMap((hunk) => hunk.lines)));
  const hasTwoSides = () => isWide() && props.content.oldText != null;
  return (
    <div class="diff-box" ref={box}>
      <div class="diff-lines" tabindex="0" role="group" aria-label="Lines">
        <Show when={hasTwoSides()} fallback={<UnifiedLines hunks={shown()} marks={marks()} />}>
          <SplitLines hunks={shown()} marks={marks()} />
        </Show>
      </div>
      <Show when={!isWhole() && count() > LINES_AT_FIRST}>
        <button type="button" class="diff-more" onClick={() => setAsked(true)}>
          Show all {count().toLocaleString()} lines
        </button>
      </Show>
    </div>
  );
}

function firstOf(hunks: readonly Hunk[], most: number): Hunk[] {
  const first: Hunk[] = [];
  let left = most;
  for (const hunk of hunks) {
    if (left <= 0) break;
    first.push(hunk.lines.length > left ? { ...hunk, lines: hunk.lines.slice(0, left) } : hunk);
    left -= hunk.lines.length;
  }
  return first;
}
