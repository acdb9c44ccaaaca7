// The status of the chat in one word; opens the details.
import { Show, type JSX } from "solid-js";

import { Spinner } from "../controls/Spinner";
import type { Status } from "./status";

export function StatusChip(props: { status: Status; onPress: () => void }): JSX.Element {
  return (
    <button
      type="button"
      class={`chip chip-${props.status.tone || "none"}`}
      data-testid="agent-status"
      title={props.status.message ?? "Details"}
      onClick={() => props.onPress()}
    >
      <Show when={props.status.isBusy} fallback={<span class="dot" />}>
        <Spinner />
      </Show>
      {props.status.word}
    </button>
  );
}
