// All there is to know of a chat's agent, and starting it again.
import { createEffect, For, Show, type JSX } from "solid-js";

import { agents, pathTo, refreshAgents, type ChatState } from "../../state";
import { mayList } from "../agent/abilities";
import { AgentVersion } from "../agent/AgentVersion";
import { Dialog } from "../controls/Dialog";
import { PathText } from "../controls/PathText";
import { visibleText } from "../question/visibleText";
import { clock } from "../when";
import { RestartButtons } from "./RestartButtons";
import { statusOf } from "./status";

export function AgentDialog(props: { isOpen: boolean; state: ChatState; agentName: string; onClose: () => void }): JSX.Element {
  const status = () => statusOf(props.state);
  const agent = () => agents()?.find((one) => one.id === props.state.head.agent);
  // It may have told more of itself since we last asked.
  createEffect(() => props.isOpen && void refreshAgents().catch(() => undefined));
  return (
    <Dialog isOpen={props.isOpen} title={props.agentName} onClose={props.onClose}>
      <div class="dialog-body" data-testid="agent-details">
        <dl class="facts">
          <dt>Status</dt>
          <dd>
            {status().word}
            <Show when={status().message}>{(message) => <p>{visibleText(message())}</p>}</Show>
            <Show when={status().hint}>{(hint) => <p class="quiet">{visibleText(hint())}</p>}</Show>
          </dd>
          <Show when={agent()}>
            {(known) => (
              <>
                <dt>Program</dt>
                <dd>
                  <PathText path={known().found ?? (known().tcp || "not found")} />
                </dd>
                <dt>Version</dt>
                <dd>
                  <AgentVersion agent={known()} />
                </dd>
                <Show when={known().seen}>
                  {(seen) => (
                    <>
                      <dt>It</dt>
                      <dd>
                        <ul class="can">
                          <For each={seen().can} fallback={<li class="quiet">offers nothing beyond the least</li>}>
                            {(word) => <li>{visibleText(word)}</li>}
                          </For>
                        </ul>
                        <p class="quiet small">As it said at {clock(seen().at)}.</p>
                      </dd>
                    </>
                  )}
                </Show>
              </>
            )}
          </Show>
        </dl>
        <Show when={props.state.head.turn}>
          <p class="quiet small">It is working now; starting it again interrupts that.</p>
        </Show>
        <div class="dialog-foot dialog-foot-start">
          <RestartButtons onDone={props.onClose} />
        </div>
        <p class="dialog-links">
          <a href={pathTo.settings("agents")}>Agents in the settings</a>
          <Show when={agent() && mayList(agent()!)}>
            <a href={pathTo.history(agent()!.id)}>Its earlier sessions</a>
          </Show>
        </p>
      </div>
    </Dialog>
  );
}
