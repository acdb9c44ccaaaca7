// What the agent means to do, step by step.
import { For, Match, Show, Switch, type JSX } from "solid-js";

import type { PlanEntry } from "../../state";
import { CheckIcon } from "../icons";

export function PlanBlockView(props: { entries: readonly PlanEntry[]; isLive: boolean; isBare?: boolean }): JSX.Element {
  const done = () => props.entries.filter((entry) => entry.status === "completed").length;
  return (
    <div class="plan" classList={{ "plan-bare": props.isBare ?? false }} role="group" aria-label="Plan">
      <Show when={!props.isBare}>
        <p class="plan-head">
          <strong>Plan</strong>
          <span class="quiet">
            {done()} of {props.entries.length}
          </span>
        </p>
      </Show>
      <ol class="plan-list">
        <For each={props.entries}>{(entry) => <Step entry={entry} isLive={props.isLive} />}</For>
      </ol>
    </div>
  );
}

function Step(props: { entry: PlanEntry; isLive: boolean }): JSX.Element {
  const isNow = () => props.entry.status === "in_progress" && props.isLive;
  return (
    <li class={`step step-${props.entry.status}`} classList={{ "step-now": isNow() }}>
      <span class="step-box">
        <Show when={props.entry.status === "completed"}>
          <CheckIcon />
        </Show>
      </span>
      <span>
        {props.entry.content}
        <Switch>
          <Match when={props.entry.status === "completed"}>
            <span class="unseen"> (done)</span>
          </Match>
          <Match when={isNow()}>
            <span class="unseen"> (now)</span>
          </Match>
        </Switch>
      </span>
    </li>
  );
}
