// Both sides of a change in one column, for narrow places.
import { createSignal, For, Show, type JSX } from "solid-js";

import type { Hunk, Line, Mark } from "./lines";
import { LineText, Skipped, type Marks } from "./LineText";

const SIGNS: Record<Mark, string> = { same: " ", added: "+", removed: "−" };
const NAMES: Record<Mark, string> = { same: "", added: "added", removed: "removed" };

export function UnifiedLines(props: { hunks: readonly Hunk[]; marks: Marks }): JSX.Element {
  return <For each={props.hunks}>{(hunk) => <UnifiedHunk hunk={hunk} marks={props.marks} />}</For>;
}

function UnifiedHunk(props: { hunk: Hunk; marks: Marks }): JSX.Element {
  const [isShown, setShown] = createSignal(false);
  return (
    <>
      <Show when={props.hunk.skipped.length > 0}>
        <Show
          when={isShown()}
          fallback={<Skipped count={props.hunk.skipped.length} onShow={() => setShown(true)} />}
        >
          <For each={props.hunk.skipped}>{(line) => <UnifiedLine line={line} marks={props.marks} />}</For>
        </Show>
      </Show>
      <For each={props.hunk.lines}>{(line) => <UnifiedLine line={line} marks={props.marks} />}</For>
    </>
  );
}

function UnifiedLine(props: { line: Line; marks: Marks }): JSX.Element {
  return (
    <div class={`diff-line diff-${props.line.mark}`}>
      <span class="diff-number" data-number={props.line.after ?? props.line.before} />
      <span class="diff-sign" aria-hidden="true">
        {SIGNS[props.line.mark]}
      </span>
      <Show when={NAMES[props.line.mark]}>{(name) => <span class="unseen">{name()}: </span>}</Show>
      <code class="diff-text">
        <LineText line={props.line} marks={props.marks} />
      </code>
    </div>
  );
}
