// An open chat: header, conversation, questions, composer and panel.
import { createEffect, createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";

import {
  agents,
  answer,
  cancel,
  defaultAgent,
  draft,
  editQueued,
  removeQueued,
  respond,
  restartAgent,
  send,
  sendDraft,
  setMode,
  setOption,
  setPolicy,
  type ChatHandle,
  type ChatState,
} from "../../state";
import { heldUnder } from "../../state/named";
import { canRestore } from "../../components/agent/abilities";
import { continueWords } from "../../components/blocks/work/delegation";
import { AgentDialog } from "../../components/chat/agent/AgentDialog";
import { AgentTrouble } from "../../components/chat/agent/AgentTrouble";
import { Announcer } from "../../components/chat/Announcer";
import { ChatHeader } from "../../components/chat/ChatHeader";
import { Panel } from "../../components/chat/Panel";
import { Composer } from "../../components/composer/Composer";
import { labels as composerLabels } from "../../components/composer/labels";
import { AnswererSelect } from "../../components/composer/options/AnswererSelect";
import { AssistantOptions } from "../../components/composer/options/AssistantOptions";
import { HandoverCard } from "../../components/composer/options/HandoverCard";
import { OptionSelects } from "../../components/composer/options/OptionSelects";
import { PolicyChip, type Policy } from "../../components/composer/options/PolicyChip";
import { Queue } from "../../components/composer/Queue";
import { createInEffect } from "../../components/composer/skills/readInEffect";
import { SkillsChip } from "../../components/composer/skills/SkillsChip";
import { createOptimisticOptions } from "../../components/composer/options/optimisticOptions";
import { Conversation } from "../../components/conversation/Conversation";
import { scrollToBlock } from "../../components/conversation/scrollTarget";
import { ChatContextProvider, type ChatContext } from "../../components/conversation/chatContext";
import { Dialog } from "../../components/controls/Dialog";
import { Part } from "../../components/controls/Part";
import { markSeen } from "../../components/frame/list/seen";
import { QuestionDock } from "../../components/question/QuestionDock";
import { createChatKeys } from "./chatKeys";
import { createChatMenu } from "./ChatMenu";
import { EmptyChat } from "./EmptyChat";
import { createPanel } from "./panelState";
import { labels } from "../labels";
import { messageOf } from "../../components/controls/attempt";

export function OpenChat(props: { chat: ChatHandle; state: ChatState }): JSX.Element {
  const id = props.state.id;
  const head = () => props.state.head;
  const context = createChatContext(props.state);
  const panel = createPanel();
  const menu = createChatMenu(props.state, panel.toggle);
  const optimistic = createOptimisticOptions();
  const inEffect = createInEffect(id, () => head().turn?.id);
  const [problem, setProblem] = createSignal("");
  const [isAgentShown, setAgentShown] = createSignal(false);
  let input: HTMLTextAreaElement | undefined;
  let chat!: HTMLDivElement;

  const agent = () => context.agent ?? defaultAgent();
  const isAssistant = () => head().mode === "llm";
  const agentName = () => (isAssistant() ? composerLabels.assistant : context.agentName(head().agent));
  /** The options of the agent's own session, which the assistant does not use. */
  const options = () => (isAssistant() ? [] : optimistic.seen(heldUnder(head().options, "main") ?? []));
  const isEmpty = () => props.state.blocks.length === 0 && head().queue.length === 0 && !head().turn;
  const whom = () => (isAssistant() ? labels.chat.theAssistant : agentName());
  /** True if it worked. */
  const attempt = (act: Promise<void>) =>
    act.then(
      () => {
        setProblem("");
        return true;
      },
      (error: unknown) => {
        setProblem(messageOf(error));
        return false;
      },
    );
  const stop = () => void attempt(cancel(id, head().turn?.id));
  const choose = (option: string, value: string | boolean) =>
    void attempt(optimistic.choose(option, value, () => setOption(id, option, value)));
  const chooseAnswerer = (mode: "llm" | "agent", agent: string | undefined) => attempt(setMode(id, mode, agent));
  const choosePolicy = (policy: Policy) => attempt(setPolicy(id, policy));
  const keys = createChatKeys({ isRunning: () => head().turn !== null, stop, write: () => input?.focus() });
  const aside = () => (
    <Panel
      state={props.state}
      hasOlder={props.chat.hasOlder}
      agentName={agentName()}
      options={options()}
      inEffect={inEffect}
      onChoose={choose}
      onDiagnose={menu.diagnose}
      onShow={(pos) => {
        if (panel.isSheet()) panel.toggle();
        scrollToBlock(id, pos);
      }}
    />
  );
  seeWhileVisible(props.state);
  onMount(() => {
    // An open question needs its shortcut keys, and on a touch screen the keyboard would cover half the page.
    if (head().questions.length === 0 && matchMedia("(pointer: fine)").matches) input?.focus({ preventScroll: true });
  });

  return (
    <ChatContextProvider value={context}>
      <div class="chat" ref={chat} classList={{ "chat-with-panel": panel.isBeside() }}>
        <div class="chat-main">
          <ChatHeader
            state={props.state}
            agentName={agentName()}
            isPanelOpen={panel.isOpen()}
            menu={menu.items}
            isUnattended={(head().counts ?? head().policy) === "auto"}
            onPanel={panel.toggle}
            onAgent={() => setAgentShown(true)}
          />
          <Show when={!isEmpty()} fallback={<EmptyChat agentName={whom()} workspace={head().workspace ?? ""} />}>
            <Conversation chat={props.chat} state={props.state} />
          </Show>
          <div class="below">
            <QuestionDock
              state={props.state}
              answers={{
                choose: (question, option, reason) => answer(id, question, option, reason),
                respond: (question, action, content) => respond(id, question, action, content),
              }}
              onDone={() => chat.querySelector<HTMLElement>(".scroller")?.focus({ preventScroll: true })}
            />
            <Part value={() => head().agents}>
              <AgentTrouble state={props.state} />
            </Part>
            <Part value={() => head().queue}>
              <Queue
                messages={head().queue}
                onEdit={(message, text) => editQueued(id, message, text)}
                onRemove={(message) => removeQueued(id, message)}
              />
            </Part>
            <Show when={problem()}>
              <p class="below-problem" role="alert">
                {problem()}
              </p>
            </Show>
            <Part value={() => head().handover}>
              <HandoverCard state={props.state} to={isAssistant() ? composerLabels.theAssistant : agentName()} />
            </Part>
            <Composer
              ref={(area) => (input = area)}
              draft={draft(id)}
              placeholder={head().turn ? labels.chat.followUp : labels.chat.message(whom())}
              isRunning={head().turn !== null}
              isStopping={head().turn?.stopping ?? false}
              isAboutToStop={keys.isAboutToStop()}
              about={head().workspace ? { workspace: head().workspace!, chat: id } : undefined}
              commands={isAssistant() ? [] : (heldUnder(head().commands, "main") ?? [])}
              onSend={(text) => sendDraft(id, text)}
              onStop={stop}
            >
              <AnswererSelect mode={head().mode ?? "agent"} agent={agent()} agentName={context.agentName} onChoose={chooseAnswerer} />
              <Show when={isAssistant()}>
                <AssistantOptions state={props.state} />
              </Show>
              <Show when={head().policy}>{(policy) => <PolicyChip policy={policy()} counts={head().counts} onChoose={choosePolicy} />}</Show>
              <SkillsChip context={inEffect} />
              <OptionSelects options={options()} onChoose={choose} />
            </Composer>
          </div>
        </div>
        <Show when={panel.isBeside()}>
          <aside class="panel" aria-label={labels.chat.panel}>
            {aside()}
          </aside>
        </Show>
        <Dialog isOpen={panel.isSheet()} title={labels.chat.details} onClose={panel.toggle}>
          {aside()}
        </Dialog>
        <AgentDialog
          isOpen={isAgentShown()}
          state={props.state}
          agentName={context.agentName(agent())}
          onClose={() => setAgentShown(false)}
        />
        {menu.dialogs}
        <Announcer state={props.state} />
      </div>
    </ChatContextProvider>
  );
}

function createChatContext(state: ChatState): ChatContext {
  const asked = createMemo(() => {
    const ids = new Set(state.head.questions);
    return new Set(state.blocks.map((block) => block.kind === "question" && ids.has(block.id) && block.detail.tool));
  });
  const recovered = createMemo(
    () =>
      new Map(
        state.blocks.flatMap((block) =>
          block.kind === "notice" && block.code === "recovered" ? [[block.turn, block.pos] as const] : [],
        ),
      ),
  );
  const terminals = createMemo(() => new Map(state.blocks.flatMap((block) => (block.kind === "terminal" ? [[block.terminal_id, block] as const] : []))));
  return {
    chatId: state.id,
    get workspace() {
      return state.head.workspace;
    },
    get liveTurn() {
      return state.head.turn?.id;
    },
    get lastAt() {
      return state.head.last_at ?? 0;
    },
    get agent() {
      return state.head.agent ?? Object.keys(state.head.agents).at(-1);
    },
    recoveredAt: (turn) => recovered().get(turn),
    agentName: (id) => agents()?.find((agent) => agent.id === id)?.display_name ?? id ?? labels.chat.theAgent,
    terminal: (id) => terminals().get(id),
    isAsked: (tool) => asked().has(tool),
    get newestEnd() {
      return state.head.turn ? undefined : state.blocks.findLast((block) => block.kind === "turn")?.pos;
    },
    get isAgentDown() {
      // Agents that work for the assistant restart with the next task.
      if (state.head.mode === "llm") return false;
      const status = heldUnder(state.head.agents, state.head.agent ?? "")?.status;
      return status === "error" || status === "disconnected";
    },
    get canReload() {
      const agent = agents()?.find((one) => one.id === state.head.agent);
      return agent === undefined || canRestore(agent) !== false;
    },
    restart: (reload) => restartAgent(state.id, reload),
    goOn: () => void send(state.id, continueWords(state.blocks)),
  };
}

/** Events shown on a visible page count as seen. */
function seeWhileVisible(state: ChatState): void {
  const see = () => document.visibilityState === "visible" && markSeen(state.id, state.head.seq);
  createEffect(see);
  document.addEventListener("visibilitychange", see);
  onCleanup(() => document.removeEventListener("visibilitychange", see));
}
