// Added and removed lines: +3 −1.
import { Show, type JSX } from "solid-js";

export function ChangeCount(props: { added: number; removed: number }): JSX.Element {
  return (
    <Show when={props.added + props.removed > 0}>
      <span class="change-count">
        <Show when={props.added > 0}>
          <span class="change-added" aria-label={`${props.added} ${props.added === 1 ? "line" : "lines"} added`}>
            +{props.added.toLocaleString()}
          </span>
        </Show>
        <Show when={props.removed > 0}>
          <span class="change-removed" aria-label={`${props.removed} ${props.removed === 1 ? "line" : "lines"} removed`}>
            −{props.removed.toLocaleString()}
          </span>
        </Show>
      </span>
    </Show>
  );
}
