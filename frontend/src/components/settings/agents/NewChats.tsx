// Who answers in a new chat.
import { For, Show, type JSX } from "solid-js";

import { agents, changeSettings, refreshAgents, settings } from "../../../state";
import { isThere } from "../../agent/abilities";
import { createAttempt, type Attempt } from "../../controls/attempt";
import { isDecided } from "../decided";
import { labels } from "../labels";

export function NewChats(): JSX.Element {
  const attempt = createAttempt();
  /** The chosen agent stays in the list even if its program is gone. */
  const offered = () => agents()?.filter((agent) => isThere(agent) || agent.id === settings()?.values.acpDefaultAgentId) ?? [];
  return (
    <Show when={settings()}>
      {(known) => (
        <section class="settings-part" aria-label={labels.newChats.title}>
          <h2>{labels.newChats.title}</h2>
          <Choice
            name="interactionModeDefault"
            setting="interaction_mode_default"
            label={labels.newChats.answers}
            help={labels.newChats.answersHelp}
            choices={[
              ["agent", labels.newChats.agent],
              ["llm", labels.newChats.assistant],
            ]}
            value={known().values.interactionModeDefault}
            attempt={attempt}
          />
          <Choice
            name="acpDefaultAgentId"
            setting="acp_default_agent_id"
            label={labels.newChats.which}
            help={labels.newChats.whichHelp}
            choices={[["", labels.newChats.lastUsed], ...offered().map((agent) => [agent.id, agent.display_name] as const)]}
            value={known().values.acpDefaultAgentId}
            attempt={attempt}
          />
          <Show when={attempt.problem()}>
            <p class="field-problem" role="alert">
              {attempt.problem()}
            </p>
          </Show>
        </section>
      )}
    </Show>
  );
}

function Choice(props: {
  name: string;
  /** Its name in the settings file. */
  setting: string;
  label: string;
  help: string;
  choices: readonly (readonly [string, string])[];
  value: string;
  attempt: Attempt;
}): JSX.Element {
  async function save(value: string) {
    await changeSettings({ [props.name]: value || null });
    await refreshAgents();
  }
  return (
    <label class="switch">
      <span class="switch-words">
        <strong>{props.label}</strong>
        <span class="quiet">
          {props.help}
          <Show when={isDecided(props.setting)}> {labels.setByEnvironment}</Show>
        </span>
      </span>
      <select
        class="input switch-select"
        data-testid={props.name}
        disabled={props.attempt.isBusy() || isDecided(props.setting)}
        onChange={async (event) => {
          const select = event.currentTarget;
          if (!(await props.attempt.run(() => save(select.value)))) select.value = props.value;
        }}
      >
        <For each={props.choices}>
          {([value, words]) => (
            <option value={value} selected={value === props.value}>
              {words}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}
