// Who answers from the next message on: the assistant, or one of the agents.
import { createMemo, For, type JSX } from "solid-js";

import { agents } from "../../../state";
import { isThere } from "../../agent/abilities";
import { DownIcon } from "../../icons";
import { labels } from "../labels";

/** In place of an agent's id. */
const ASSISTANT = "";

export function AnswererSelect(props: {
  mode: "llm" | "agent";
  /** The chat's agent: it answers in agent mode, and gets work from the assistant. */
  agent: string | undefined;
  agentName: (id: string) => string;
  /** False if it failed. */
  onChoose: (mode: "llm" | "agent", agent: string | undefined) => Promise<boolean>;
}): JSX.Element {
  const now = () => (props.mode === "llm" ? ASSISTANT : (props.agent ?? ASSISTANT));
  /** The chat's own agent stays in the list even if its program is gone. */
  const offered = createMemo(() => {
    const found = (agents() ?? []).filter(isThere).map((agent) => agent.id);
    return props.agent === undefined || found.includes(props.agent) ? found : [props.agent, ...found];
  });
  return (
    <label class="select" title={explain(props.mode, props.agentName(props.agent ?? ""))}>
      <span class="unseen">{labels.answeredBy}</span>
      <select
        data-testid="mode"
        value={now()}
        onChange={async (event) => {
          const select = event.currentTarget;
          const isDone = await (select.value === ASSISTANT ? props.onChoose("llm", props.agent) : props.onChoose("agent", select.value));
          if (!isDone) select.value = now();
        }}
      >
        <option value={ASSISTANT} selected={now() === ASSISTANT}>
          {labels.assistant}
        </option>
        <For each={offered()}>
          {(id) => (
            <option value={id} selected={id === now()}>
              {props.agentName(id)}
            </option>
          )}
        </For>
      </select>
      <DownIcon />
    </label>
  );
}

function explain(mode: "llm" | "agent", agent: string): string {
  return mode === "llm" ? labels.assistantAnswers(agent) : labels.agentAnswers(agent);
}
