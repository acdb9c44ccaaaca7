// The model that answers in llm mode; links to its setting.
import { Show, type JSX } from "solid-js";

import { assistant, pathTo } from "../../../state";
import { WarningIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import { labels } from "../labels";

export function ModelChip(): JSX.Element {
  const problem = () => assistant()?.problem;
  return (
    <Show when={assistant()}>
      {(known) => (
        <a
          class="select model-chip"
          classList={{ "model-missing": problem() != null }}
          href={pathTo.settings("assistant")}
          title={problem()?.message ?? labels.model}
        >
          <Show when={known().chosen} fallback={<WarningIcon />}>
            {(chosen) => <span class="cut">{visibleText(chosen().model || chosen().provider)}</span>}
          </Show>
          <Show when={problem()}>
            <span>{labels.noModel}</span>
          </Show>
        </a>
      )}
    </Show>
  );
}
