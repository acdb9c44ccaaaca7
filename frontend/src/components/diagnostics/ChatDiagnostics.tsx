// Diagnostics of one chat: each of its agent processes, and a report to pass on.
import { createSignal, For, onMount, Show, type JSX } from "solid-js";

import "./diagnostics.css";
import { readDiagnostics, type AgentProcess, type AgentProcesses } from "../../state";
import { tableOf } from "../../state/named";
import { createAttempt } from "../controls/attempt";
import { Dialog } from "../controls/Dialog";
import { Skeleton } from "../controls/Skeleton";
import { visibleText } from "../question/content/visibleText";
import { clock } from "../when";
import { FrameLog } from "./FrameLog";
import { size, treeOf } from "./frames";
import { labels } from "./labels";
import { Report } from "./Report";

const STATES = tableOf<string>(labels.states);

export function ChatDiagnostics(props: { chat: string }): JSX.Element {
  const attempt = createAttempt();
  const [found, setFound] = createSignal<AgentProcesses>();
  const [isReporting, setReporting] = createSignal(false);
  const load = () => attempt.run(async () => void setFound(await readDiagnostics(props.chat)));
  onMount(() => void load());
  return (
    <div class="diagnostics" data-testid="diagnostics">
      <div class="frame-tools">
        <button type="button" class="button" disabled={attempt.isBusy()} onClick={() => void load()}>
          {labels.refresh}
        </button>
        <button type="button" class="button" onClick={() => setReporting(true)}>
          {labels.report}
        </button>
      </div>
      <p class="field-problem" role="alert">
        {attempt.problem()}
      </p>
      <Show when={found()} fallback={<Skeleton lines={4} label={labels.loading} />}>
        {(known) => (
          <For each={known().agents} fallback={<p class="quiet">{labels.none}</p>}>
            {(agent) => <One chat={props.chat} agent={agent} hasLog={known().frames_on} />}
          </For>
        )}
      </Show>
      <Dialog isOpen={isReporting()} title={labels.report} onClose={() => setReporting(false)}>
        <Report chat={props.chat} />
      </Dialog>
    </div>
  );
}

function One(props: { chat: string; agent: AgentProcess; hasLog: boolean }): JSX.Element {
  const hasEnded = () => props.agent.ended_at !== null;
  return (
    <section class="diagnosed" aria-label={visibleText(props.agent.agent_name)} data-state={props.agent.state}>
      <h3>{visibleText(props.agent.agent_name)}</h3>
      <p class="quiet small">
        {STATES.get(props.agent.state) ?? props.agent.state}, {labels.startedAt(clock(props.agent.started_at))}
        <Show when={props.agent.ended_at}>{(at) => <>, {labels.endedAt(clock(at()))}</>}</Show>
      </p>
      <Show when={props.agent.processes.length > 0}>
        <Processes agent={props.agent} />
      </Show>
      <Show when={props.agent.stderr}>
        {(text) => (
          <>
            <h4>{labels.stderr}</h4>
            <pre tabindex="0" aria-label={labels.stderr}>
              {visibleText(text())}
            </pre>
          </>
        )}
      </Show>
      <Show when={!hasEnded()}>
        <Show when={props.hasLog} fallback={<p class="quiet">{labels.logOff}</p>}>
          <FrameLog chat={props.chat} process={props.agent.id} />
        </Show>
      </Show>
    </section>
  );
}

function Processes(props: { agent: AgentProcess }): JSX.Element {
  return (
    <table aria-label={labels.processes}>
      <thead>
        <tr>
          <th scope="col">{labels.process}</th>
          <th scope="col">{labels.id}</th>
          <th scope="col">{labels.cpu}</th>
          <th scope="col">{labels.memory}</th>
        </tr>
      </thead>
      <tbody>
        <For each={treeOf(props.agent.processes)}>
          {({ process, depth }) => (
            <tr data-testid="process">
              <td>
                <div class="process-name" style={{ "--depth": Math.min(depth, 6) }}>
                  {process.is_keeper ? labels.background : visibleText(process.name)}
                </div>
              </td>
              <td>{process.pid}</td>
              <td>{process.cpu_percent.toFixed(0)} %</td>
              <td>{size(process.memory_bytes)}</td>
            </tr>
          )}
        </For>
        <Show when={props.agent.left_out > 0}>
          <tr>
            <td colspan="4">{labels.more(props.agent.left_out)}</td>
          </tr>
        </Show>
      </tbody>
    </table>
  );
}
