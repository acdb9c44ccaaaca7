// Which model answers in llm mode; a press leads to where it is chosen.
import { Show, type JSX } from "solid-js";

import { assistant, pathTo } from "../../state";
import { WarningIcon } from "../icons";
import { visibleText } from "../question/visibleText";

export function ModelChip(): JSX.Element {
  const problem = () => assistant()?.problem;
  return (
    <Show when={assistant()}>
      {(known) => (
        <a
          class="select model-chip"
          classList={{ "model-missing": problem() != null }}
          href={pathTo.settings("assistant")}
          title={problem()?.message ?? "The model that answers. Choose another in the settings."}
        >
          <Show when={known().chosen} fallback={<WarningIcon />}>
            {(chosen) => <span class="cut">{visibleText(chosen().model || chosen().provider)}</span>}
          </Show>
          <Show when={problem()}>
            <span>No model</span>
          </Show>
        </a>
      )}
    </Show>
  );
}
