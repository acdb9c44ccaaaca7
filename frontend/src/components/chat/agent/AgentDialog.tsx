// Details of a chat's agent, and restarting it.
import { createEffect, For, Show, type JSX } from "solid-js";

import { agents, pathTo, refreshAgents, type ChatState } from "../../../state";
import { mayList } from "../../agent/abilities";
import { AgentVersion } from "../../agent/AgentVersion";
import { Dialog } from "../../controls/Dialog";
import { Hint } from "../../controls/Hint";
import { PathText } from "../../controls/PathText";
import { visibleText } from "../../question/content/visibleText";
import { SANDBOX_NAMES, SANDBOX_NOTES } from "../../settings/agents/sandboxWords";
import { clock } from "../../when";
import { RestartButtons } from "./RestartButtons";
import { isAgentRunning, sandboxOf, statusOf } from "../status";
import { labels } from "../labels";

export function AgentDialog(props: { isOpen: boolean; state: ChatState; agentName: string; onClose: () => void }): JSX.Element {
  const status = () => statusOf(props.state);
  const agent = () => agents()?.find((one) => one.id === props.state.head.agent);
  const isRunning = () => isAgentRunning(props.state);
  /** The sandbox of the running process, or the one it would start in. */
  const sandbox = () => sandboxOf(props.state) ?? (isRunning() ? "off" : (agent()?.sandbox ?? "off"));
  // It may have reported more since we last loaded it.
  createEffect(() => props.isOpen && void refreshAgents().catch(() => undefined));
  return (
    <Dialog isOpen={props.isOpen} title={props.agentName} onClose={props.onClose}>
      <div class="dialog-body" data-testid="agent-details">
        <dl class="facts">
          <dt>{labels.status}</dt>
          <dd>
            {status().word}
            <Show when={status().message}>{(message) => <p>{visibleText(message())}</p>}</Show>
            <Show when={status().hint}>{(hint) => <p class="quiet"><Hint text={hint()} /></p>}</Show>
          </dd>
          <dt>{labels.sandbox}</dt>
          <dd>
            {SANDBOX_NAMES[sandbox()]}
            <p class="quiet small">{SANDBOX_NOTES[sandbox()]}</p>
            <Show when={isRunning() && agent() && agent()!.sandbox !== sandbox()}>
              <p class="quiet small">
                {labels.sandboxChanged(SANDBOX_NAMES[agent()!.sandbox])}
              </p>
            </Show>
          </dd>
          <Show when={agent()}>
            {(known) => (
              <>
                <dt>{labels.program}</dt>
                <dd>
                  <PathText path={known().found ?? (known().tcp || labels.notFound)} />
                </dd>
                <dt>{labels.version}</dt>
                <dd>
                  <AgentVersion agent={known()} />
                </dd>
                <Show when={known().seen}>
                  {(seen) => (
                    <>
                      <dt>{labels.capabilities}</dt>
                      <dd>
                        <ul class="can">
                          <For each={seen().can} fallback={<li class="quiet">{labels.noCapabilities}</li>}>
                            {(word) => <li>{visibleText(word)}</li>}
                          </For>
                        </ul>
                        <p class="quiet small">{labels.reportedAt(clock(seen().at))}</p>
                      </dd>
                    </>
                  )}
                </Show>
              </>
            )}
          </Show>
        </dl>
        <Show when={props.state.head.turn}>
          <p class="quiet small">{labels.restartInterrupts}</p>
        </Show>
        <div class="dialog-foot dialog-foot-start">
          <RestartButtons onDone={props.onClose} />
        </div>
        <p class="dialog-links">
          <a href={pathTo.settings("agents")}>{labels.agentSettings}</a>
          <Show when={agent() && mayList(agent()!)}>
            <a href={pathTo.history(agent()!.id)}>{labels.pastSessions}</a>
          </Show>
        </p>
      </div>
    </Dialog>
  );
}
