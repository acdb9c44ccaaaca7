// Who answers: the assistant, or the agent itself.
import type { JSX } from "solid-js";

import { DownIcon } from "../../icons";
import { labels } from "../labels";

export function ModeSelect(props: {
  mode: "llm" | "agent";
  agentName: string;
  /** False if it failed. */
  onChoose: (mode: "llm" | "agent") => Promise<boolean>;
}): JSX.Element {
  return (
    <label class="select" title={explain(props.mode, props.agentName)}>
      <span class="unseen">{labels.answeredBy}</span>
      <select
        data-testid="mode"
        value={props.mode}
        onChange={async (event) => {
          const select = event.currentTarget;
          if (!(await props.onChoose(select.value as "llm" | "agent"))) select.value = props.mode;
        }}
      >
        <option value="llm" selected={props.mode === "llm"}>
          {labels.assistant}
        </option>
        <option value="agent" selected={props.mode === "agent"}>
          {props.agentName}
        </option>
      </select>
      <DownIcon />
    </label>
  );
}

function explain(mode: "llm" | "agent", agent: string): string {
  return mode === "llm" ? labels.assistantAnswers(agent) : labels.agentAnswers(agent);
}
