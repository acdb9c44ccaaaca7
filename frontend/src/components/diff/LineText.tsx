// The text of one line, with the words that changed in it.
import { For, Show, type JSX } from "solid-js";

import { visibleText } from "../question/content/visibleText";
import type { Line } from "./lines";
import type { Span } from "./wordDiff";

export type Marks = ReadonlyMap<Line, readonly Span[]>;

export function LineText(props: { line: Line; marks: Marks }): JSX.Element {
  return (
    <Show when={props.marks.get(props.line)} fallback={visibleText(props.line.text) || " "}>
      {(spans) => (
        <For each={spans()}>
          {(span) => (span.changed ? <mark>{visibleText(span.text)}</mark> : visibleText(span.text))}
        </For>
      )}
    </Show>
  );
}

/** Hidden lines between two hunks; a click shows them. */
export function Skipped(props: { count: number; onShow: () => void }): JSX.Element {
  return (
    <button type="button" class="diff-skip" onClick={() => props.onShow()}>
      ⋯ {props.count.toLocaleString()} unchanged {props.count === 1 ? "line" : "lines"}
    </button>
  );
}
