// The agent's options: mode, model and others, shown only if there is a choice.
import { createMemo, For, Show, type JSX } from "solid-js";

import type { AgentOption, Json } from "../../../state";
import { Part } from "../../controls/Part";
import { DownIcon } from "../../icons";

const ORDER = ["mode", "model", "thought_level"];
/** More would crowd out the message; the panel shows all. */
const MOST_SHOWN = 4;

interface Choosing {
  onChoose: (option: string, value: string | boolean) => void;
}

export function OptionSelects(props: Choosing & { options: readonly AgentOption[]; isAll?: boolean }): JSX.Element {
  const shown = createMemo(() => {
    const offered = props.options.filter((option) => option.type === "boolean" || option.choices.length > 1);
    const ordered = offered.toSorted((one, other) => placeOf(one) - placeOf(other));
    return props.isAll ? ordered : ordered.slice(0, MOST_SHOWN);
  });
  return (
    // Keyed by id, so that a field in use stays in place when its value changes.
    <For each={shown().map((option) => option.id)}>
      {(id) => {
        const found = () => shown().find((option) => option.id === id);
        const option = createMemo((before: AgentOption) => found() ?? before, found()!);
        return (
          <Part value={option}>
            <Show when={option().type === "select"} fallback={<Switch option={option()} onChoose={props.onChoose} />}>
              <OptionSelect option={option()} onChoose={props.onChoose} />
            </Show>
          </Part>
        );
      }}
    </For>
  );
}

function OptionSelect(props: Choosing & { option: AgentOption }): JSX.Element {
  const groups = () => [...new Set(props.option.choices.map((choice) => choice.group ?? ""))];
  const inGroup = (group: string) => props.option.choices.filter((choice) => (choice.group ?? "") === group);
  return (
    <label class="select" title={props.option.description ?? props.option.name}>
      <span class="unseen">{props.option.name}</span>
      <select
        value={String(props.option.current ?? "")}
        onChange={(event) => {
          const chosen = props.option.choices.find((choice) => String(choice.value) === event.currentTarget.value);
          if (chosen) props.onChoose(props.option.id, String(chosen.value));
        }}
      >
        <For each={groups()}>
          {(group) => (
            <Show when={group} fallback={<Choices choices={inGroup("")} current={props.option.current} />}>
              <optgroup label={group}>
                <Choices choices={inGroup(group)} current={props.option.current} />
              </optgroup>
            </Show>
          )}
        </For>
      </select>
      <DownIcon />
    </label>
  );
}

function Choices(props: { choices: AgentOption["choices"]; current: Json | undefined }): JSX.Element {
  return (
    <For each={props.choices}>
      {(choice) => (
        <option value={String(choice.value)} selected={choice.value === props.current} title={choice.description}>
          {choice.name ?? String(choice.value)}
        </option>
      )}
    </For>
  );
}

function Switch(props: Choosing & { option: AgentOption }): JSX.Element {
  return (
    <label class="tick small option-switch" title={props.option.description ?? undefined}>
      <input
        type="checkbox"
        checked={props.option.current === true}
        onChange={(event) => props.onChoose(props.option.id, event.currentTarget.checked)}
      />
      {props.option.name}
    </label>
  );
}

function placeOf(option: AgentOption): number {
  const at = ORDER.indexOf(option.category);
  return at < 0 ? ORDER.length : at;
}
