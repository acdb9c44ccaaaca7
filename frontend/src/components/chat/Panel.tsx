// The side panel: plan, changed files and details of the agent.
import { createMemo, For, Show, type JSX } from "solid-js";

import type { AgentOption, ChatState, PlanBlock } from "../../state";
import { PlanBlockView } from "../blocks/work/PlanBlock";
import { Hint } from "../controls/Hint";
import { Part } from "../controls/Part";
import { PathText } from "../controls/PathText";
import { OptionSelects } from "../composer/options/OptionSelects";
import type { InEffect } from "../composer/skills/readInEffect";
import { InEffectView } from "../composer/skills/InEffect";
import { useChatContext } from "../conversation/chatContext";
import { ChangeCount } from "../diff/ChangeCount";
import { folderOf, within } from "../paths";
import { visibleText } from "../question/content/visibleText";
import { heldUnder } from "../../state/named";
import { changedFiles } from "./changes";
import { statusOf } from "./status";
import { UsageRing } from "./UsageRing";
import { labels } from "./labels";

/** The chat's own session. */
const MAIN = "main";

export function Panel(props: {
  state: ChatState;
  /** There are blocks before the first of them. */
  hasOlder: boolean;
  agentName: string;
  options: readonly AgentOption[];
  inEffect: InEffect;
  onChoose: (option: string, value: string | boolean) => void;
  onDiagnose: () => void;
  /** Scroll to a tool call by its position. */
  onShow: (pos: number) => void;
}): JSX.Element {
  const plan = createMemo(() => props.state.blocks.findLast((block): block is PlanBlock => block.kind === "plan"));
  return (
    <div class="panel-body">
      <Show when={plan()}>
        {(block) => (
          <section class="panel-part">
            <h2 class="panel-head">
              {labels.plan}
              <span class="list-count">
                {block().entries.filter((entry) => entry.status === "completed").length}/{block().entries.length}
              </span>
            </h2>
            <Part value={block}>
              <PlanBlockView entries={block().entries} isLive={block().turn === props.state.head.turn?.id} isBare />
            </Part>
          </section>
        )}
      </Show>
      <Part>
        <Changes state={props.state} hasOlder={props.hasOlder} onShow={props.onShow} />
      </Part>
      <Part value={() => props.state.head}>
        <Details {...props} />
      </Part>
      <Part value={() => props.inEffect.now()}>
        <section class="panel-part">
          <h2 class="panel-head">{labels.sentAlong}</h2>
          <InEffectView context={props.inEffect} />
        </section>
      </Part>
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
          {labels.changes}
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
                  title={labels.showChange(visibleText(file.path))}
                  onClick={() => props.onShow(file.lastAt)}
                >
                  <span class="changed-name">
                    <span class="cut">{name(file.path).slice(folderOf(name(file.path)).length)}</span>
                    <span class="changed-folder cut">{folderOf(name(file.path)) || "./"}</span>
                  </span>
                  <Show when={file.isNew}>
                    <span class="chip">{labels.newFile}</span>
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
  const context = useChatContext();
  const isAssistant = () => props.state.head.mode === "llm";
  /** Sessions that report usage; the assistant does not use the chat's own session. */
  const sessions = () => Object.keys(props.state.head.usage).filter((name) => name !== MAIN || !isAssistant());
  return (
    <section class="panel-part">
      <h2 class="panel-head">{labels.details}</h2>
      <dl class="facts">
        <dt>{isAssistant() ? labels.answeredBy : labels.agent}</dt>
        <dd>{props.agentName}</dd>
        <Show when={isAssistant() && context.agent}>
          {(agent) => (
            <>
              <dt>{labels.delegatesTo}</dt>
              <dd>{context.agentName(agent())}</dd>
            </>
          )}
        </Show>
        <dt>{labels.status}</dt>
        <dd>
          {status().word}
          <Show when={status().message}>{(message) => <p>{visibleText(message())}</p>}</Show>
          <Show when={status().hint}>{(hint) => <p class="quiet"><Hint text={hint()} /></p>}</Show>
        </dd>
        <dt>{labels.workspace}</dt>
        <dd>
          <PathText path={props.state.head.workspace ?? ""} />
        </dd>
        <For each={sessions()}>
          {(session) => (
            <>
              <dt>{labels.context}</dt>
              <dd data-testid="usage">
                <Show when={session !== MAIN}>
                  <p>{visibleText(session)}</p>
                </Show>
                <UsageRing usage={heldUnder(props.state.head.usage, session) ?? {}} />
              </dd>
            </>
          )}
        </For>
      </dl>
      <div class="panel-options">
        <OptionSelects options={props.options} isAll onChoose={props.onChoose} />
      </div>
      <button type="button" class="text-button" onClick={() => props.onDiagnose()}>
        {labels.diagnostics}
      </button>
    </section>
  );
}
