// What happens when the agent wants to do something: it asks, or it does not.
import { Show, type JSX } from "solid-js";

import { ShieldIcon, WarningIcon } from "../icons";

const WORDS: Record<string, string> = { ask: "Asks first", auto: "Approves by itself" };

export function PolicyChip(props: { policy: string }): JSX.Element {
  const asks = () => props.policy === "ask";
  return (
    <span
      class="chip policy"
      classList={{ "chip-need": !asks() }}
      title={asks() ? "The agent asks you before it acts" : "The agent acts without asking you"}
    >
      <Show when={asks()} fallback={<WarningIcon />}>
        <ShieldIcon />
      </Show>
      {WORDS[props.policy] ?? props.policy}
    </span>
  );
}
