// Beside the conversation: the plan, the files changed, and what there is to know of the agent.
import { createMemo, For, Show, type JSX } from "solid-js";

import type { AgentOption, ChatState, PlanBlock } from "../../state";
import { PlanBlockView } from "../blocks/PlanBlock";
import { PathText } from "../controls/PathText";
import { OptionSelects } from "../composer/OptionSelects";
import { useHere } from "../conversation/here";
import { ChangeCount } from "../diff/ChangeCount";
import { folderOf, within } from "../paths";
import { visibleText } from "../question/visibleText";
import { changedFiles } from "./changes";
import { statusOf } from "./status";
import { UsageRing } from "./UsageRing";

/** The chat's own session. */
const MAIN = "main";

export function Panel(props: {
  state: ChatState;
  /** There are blocks before the first of them. */
  hasOlder: boolean;
  agentName: string;
  options: readonly AgentOption[];
  onChoose: (option: string, value: string | boolean) => void;
  /** Show a tool call, by its place. */
  onShow: (pos: number) => void;
}): JSX.Element {
  const plan = createMemo(() => props.state.blocks.findLast((block): block is PlanBlock => block.kind === "plan"));
  return (
    <div class="panel-body">
      <Show when={plan()}>
        {(block) => (
          <section class="panel-part">
            <h2 class="panel-head">
              Plan
              <span class="list-count">
                {block().entries.filter((entry) => entry.status === "completed").length}/{block().entries.length}
              </span>
            </h2>
            <PlanBlockView entries={block().entries} isLive={block().turn === props.state.head.turn?.id} isBare />
          </section>
        )}
      </Show>
      <Changes state={props.state} hasOlder={props.hasOlder} onShow={props.onShow} />
      <Details {...props} />
    </div>
  );
}

function Changes(props: { state: ChatState; hasOlder: boolean; onShow: (pos: number) => void }): JSX.Element {
  const files = createMemo(() => changedFiles(props.state.blocks));
  const name = (path: string) => visibleText(within(props.state.head.workspace, path));
  return (
    <Show when={files().length > 0}>
      <section class="panel-part">
        <h2 class="panel-head">
          Changes
          <span class="list-count">
            {files().length}
            {props.hasOlder ? "+" : ""}
          </span>
        </h2>
        <ul class="changed">
          <For each={files()}>
            {(file) => (
              <li>
                <button
                  type="button"
                  class="changed-file"
                  title={`Show the last change of ${visibleText(file.path)}`}
                  onClick={() => props.onShow(file.lastAt)}
                >
                  <span class="changed-name">
                    <span class="cut">{name(file.path).slice(folderOf(name(file.path)).length)}</span>
                    <span class="changed-folder cut">{folderOf(name(file.path)) || "./"}</span>
                  </span>
                  <Show when={file.isNew}>
                    <span class="chip">new</span>
                  </Show>
                  <Show when={!file.isPart}>
                    <ChangeCount added={file.added} removed={file.removed} />
                  </Show>
                </button>
              </li>
            )}
          </For>
        </ul>
      </section>
    </Show>
  );
}

function Details(props: Parameters<typeof Panel>[0]): JSX.Element {
  const status = () => statusOf(props.state);
  const here = useHere();
  const isAssistant = () => props.state.head.mode === "llm";
  /** Those that say what they have used; the assistant does not use the chat's own. */
  const sessions = () => Object.keys(props.state.head.usage).filter((name) => name !== MAIN || !isAssistant());
  return (
    <section class="panel-part">
      <h2 class="panel-head">Details</h2>
      <dl class="facts">
        <dt>{isAssistant() ? "Answers" : "Agent"}</dt>
        <dd>{props.agentName}</dd>
        <Show when={isAssistant() && here.agent}>
          {(agent) => (
            <>
              <dt>Hands work to</dt>
              <dd>{here.agentName(agent())}</dd>
            </>
          )}
        </Show>
        <dt>Status</dt>
        <dd>
          {status().word}
          <Show when={status().message}>{(message) => <p>{visibleText(message())}</p>}</Show>
          <Show when={status().hint}>{(hint) => <p class="quiet">{visibleText(hint())}</p>}</Show>
        </dd>
        <dt>Workspace</dt>
        <dd>
          <PathText path={props.state.head.workspace ?? ""} />
        </dd>
        <For each={sessions()}>
          {(session) => (
            <>
              <dt>Context</dt>
              <dd data-testid="usage">
                <Show when={session !== MAIN}>
                  <p>{visibleText(session)}</p>
                </Show>
                <UsageRing usage={props.state.head.usage[session] ?? {}} />
              </dd>
            </>
          )}
        </For>
      </dl>
      <div class="panel-options">
        <OptionSelects options={props.options} isAll onChoose={props.onChoose} />
      </div>
    </section>
  );
}
