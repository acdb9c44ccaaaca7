// The agent's slash commands, above the message field.
import { For, Show, type JSX } from "solid-js";

import type { AgentCommand } from "../../state";
import { labels } from "./labels";

export const COMMAND_LIST = "command-list";
export const commandId = (at: number) => `command-${at}`;

export function CommandList(props: {
  commands: readonly AgentCommand[];
  at: number;
  onChoose: (command: AgentCommand) => void;
}): JSX.Element {
  return (
    <Show when={props.commands.length > 0}>
      <ul class="commands" id={COMMAND_LIST} role="listbox" aria-label={labels.commands}>
        <For each={props.commands}>
          {(command, at) => (
            <li
              id={commandId(at())}
              class="command-entry"
              role="option"
              aria-selected={at() === props.at}
              onPointerDown={(event) => {
                // The field keeps the focus.
                event.preventDefault();
                props.onChoose(command);
              }}
            >
              <span class="mono">/{command.name}</span>
              <span class="cut quiet small">{command.description}</span>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
