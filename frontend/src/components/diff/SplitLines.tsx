// Before and after in two columns, for wide places.
import { createSignal, For, Show, type JSX } from "solid-js";

import type { Hunk, Line } from "./lines";
import { LineText, Skipped, type Marks } from "./LineText";
import { pairsOf, type Pair } from "./pairs";

export function SplitLines(props: { hunks: readonly Hunk[]; marks: Marks }): JSX.Element {
  return <For each={props.hunks}>{(hunk) => <SplitHunk hunk={hunk} marks={props.marks} />}</For>;
}

function SplitHunk(props: { hunk: Hunk; marks: Marks }): JSX.Element {
  const [isShown, setShown] = createSignal(false);
  const pairs = () => pairsOf(isShown() ? [...props.hunk.skipped, ...props.hunk.lines] : props.hunk.lines);
  return (
    <>
      <Show when={props.hunk.skipped.length > 0 && !isShown()}>
        <Skipped count={props.hunk.skipped.length} onShow={() => setShown(true)} />
      </Show>
      <For each={pairs()}>{(pair) => <SplitPair pair={pair} marks={props.marks} />}</For>
    </>
  );
}

function SplitPair(props: { pair: Pair; marks: Marks }): JSX.Element {
  return (
    <div class="diff-pair">
      <Side line={props.pair.left} number={props.pair.left?.before} marks={props.marks} />
      <Side line={props.pair.right} number={props.pair.right?.after} marks={props.marks} />
    </div>
  );
}

function Side(props: { line: Line | null; number: number | null | undefined; marks: Marks }): JSX.Element {
  return (
    <Show when={props.line} fallback={<div class="diff-line diff-none" />}>
      {(line) => (
        <div class={`diff-line diff-${line().mark}`}>
          <span class="diff-number" data-number={props.number} />
          <code class="diff-text">
            <LineText line={line()} marks={props.marks} />
          </code>
        </div>
      )}
    </Show>
  );
}
