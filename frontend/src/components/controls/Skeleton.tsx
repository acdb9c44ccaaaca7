// A placeholder while content loads.
import { For, type JSX } from "solid-js";

const WIDTHS = ["wide", "middle", "narrow"] as const;

export function Skeleton(props: { lines: number; label: string }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label={props.label}>
      <For each={Array.from({ length: props.lines })}>{(_, at) => <div class={`bone bone-${WIDTHS[at() % 3]}`} />}</For>
    </div>
  );
}
