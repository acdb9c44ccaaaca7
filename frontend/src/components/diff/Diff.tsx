// What a file becomes: its changed lines with some around them, and the words that differ.
import { createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";

import type { DiffContent } from "../../state";
import { CopyButton } from "../controls/CopyButton";
import { useHere } from "../conversation/here";
import { folderOf, within } from "../paths";
import { visibleText } from "../question/visibleText";
import { diffOf, isPart } from "../tool/words";
import { ChangeCount } from "./ChangeCount";
import { hunksOf, type Hunk } from "./lines";
import { SplitLines } from "./SplitLines";
import { UnifiedLines } from "./UnifiedLines";
import { wordMarks } from "./words";

/** Room for two columns of code. */
const WIDE_PIXELS = 860;
const LINES_AT_FIRST = 240;

export function Diff(props: { content: DiffContent }): JSX.Element {
  const here = useHere();
  const diff = createMemo(() => diffOf(props.content));
  const path = () => visibleText(within(here.workspace, props.content.path ?? "a file"));
  const what = () => {
    if (props.content.oldText == null) return "new file";
    return props.content.newText === "" && props.content.from_line === undefined ? "emptied" : "";
  };
  const hasChange = () => diff().added + diff().removed > 0;
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
      <Show when={hasChange()}>
        <Lines content={props.content} />
      </Show>
      <Show when={isPart(props.content)}>
        <p class="diff-note">Only a part of this change is shown.</p>
      </Show>
      <Show when={!hasChange() && !isPart(props.content)}>
        <p class="diff-note">Nothing changes.</p>
      </Show>
    </div>
  );
}

function Lines(props: { content: DiffContent }): JSX.Element {
  const [isWide, setWide] = createSignal(false);
  const [isWhole, setWhole] = createSignal(false);
  let box!: HTMLDivElement;
  onMount(() => {
    const watch = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= WIDE_PIXELS));
    watch.observe(box);
    onCleanup(() => watch.disconnect());
  });
  const hunks = createMemo(() => hunksOf(diffOf(props.content).lines));
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
        <button type="button" class="diff-more" onClick={() => setWhole(true)}>
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
