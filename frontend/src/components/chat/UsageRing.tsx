// How full the model's context is, and the cost, if the agent reports it.
import { Show, type JSX } from "solid-js";

import type { Usage } from "../../state";
import { contextWords, costWords, shareOf } from "./usage";

const ROUND = 2 * Math.PI * 7;

export function UsageRing(props: { usage: Usage }): JSX.Element {
  return (
    <span class="usage">
      <Show when={shareOf(props.usage) !== undefined}>
        <svg class="usage-ring" viewBox="0 0 20 20" aria-hidden="true">
          <circle cx="10" cy="10" r="7" />
          <circle
            class="usage-part"
            cx="10"
            cy="10"
            r="7"
            stroke-dasharray={`${(shareOf(props.usage) ?? 0) * ROUND} ${ROUND}`}
            transform="rotate(-90 10 10)"
          />
        </svg>
      </Show>
      <span>{contextWords(props.usage)}</span>
      <span class="quiet">{costWords(props.usage)}</span>
    </span>
  );
}
