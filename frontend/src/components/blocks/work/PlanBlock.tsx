// The agent's plan, step by step.
import { For, Match, Show, Switch, type JSX } from "solid-js";

import type { PlanEntry } from "../../../state";
import { CheckIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import { labels } from "../labels";

export function PlanBlockView(props: { entries: readonly PlanEntry[]; isLive: boolean; isBare?: boolean }): JSX.Element {
  const done = () => props.entries.filter((entry) => entry.status === "completed").length;
  return (
    <div class="plan" classList={{ "plan-bare": props.isBare ?? false }} role="group" aria-label={labels.plan}>
      <Show when={!props.isBare}>
        <p class="plan-head">
          <strong>{labels.plan}</strong>
          <span class="quiet">
            {labels.planProgress(done(), props.entries.length)}
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
    <li class="step" classList={{ "step-now": isNow(), "step-completed": props.entry.status === "completed" }}>
      <span class="step-box">
        <Show when={props.entry.status === "completed"}>
          <CheckIcon />
        </Show>
      </span>
      <span>
        {visibleText(props.entry.content)}
        <Switch>
          <Match when={props.entry.status === "completed"}>
            <span class="unseen"> {labels.stepDone}</span>
          </Match>
          <Match when={isNow()}>
            <span class="unseen"> {labels.stepNow}</span>
          </Match>
        </Switch>
      </span>
    </li>
  );
}
