// How full the model's context is, and what it has cost, where the agent says.
import { Show, type JSX } from "solid-js";

import type { Usage } from "../../state";

const ROUND = 2 * Math.PI * 7;

export function UsageRing(props: { usage: Usage }): JSX.Element {
  const share = () => {
    const { used, size } = props.usage;
    return used !== undefined && size ? Math.min(1, used / size) : undefined;
  };
  const cost = () => {
    const cost = props.usage.cost;
    return cost?.amount === undefined ? undefined : `${cost.amount.toFixed(2)} ${cost.currency ?? ""}`.trim();
  };
  return (
    <span class="usage">
      <Show when={share() !== undefined}>
        <svg class="usage-ring" viewBox="0 0 20 20" aria-hidden="true">
          <circle cx="10" cy="10" r="7" />
          <circle
            class="usage-part"
            cx="10"
            cy="10"
            r="7"
            stroke-dasharray={`${(share() ?? 0) * ROUND} ${ROUND}`}
            transform="rotate(-90 10 10)"
          />
        </svg>
        <span>
          {Math.round((share() ?? 0) * 100)} % of {Math.round((props.usage.size ?? 0) / 1000).toLocaleString()}k
        </span>
      </Show>
      <Show when={cost()}>{(words) => <span class="quiet">{words()}</span>}</Show>
    </span>
  );
}
