// Beginning a chat: where, with which agent, and the first message. Enter is enough.
import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show, untrack, type JSX } from "solid-js";

import { agents, createChat, draft, navigate, pathTo, route, settings, unheardWish, useChats, type ChatWish } from "../state";
import { isThere, mayList } from "../components/agent/abilities";
import { ErrorCard } from "../components/blocks/ErrorCard";
import { Composer } from "../components/composer/Composer";
import { ModelChip } from "../components/composer/ModelChip";
import { ASSISTANT } from "../components/composer/ModeSelect";
import { BackIcon, DownIcon, FolderIcon } from "../components/icons";

type Mode = "llm" | "agent";

/** A chat is on its way, also while its person looks elsewhere. */
const [isStarting, setStarting] = createSignal(false);

export default function NewChatPage(): JSX.Element {
  const chats = useChats();
  const found = () => agents()?.filter(isThere);
  const recent = createMemo(() => [...new Set(chats.list.map((chat) => chat.workspace))].slice(0, 12));
  const [wishedMode, setMode] = createSignal<Mode>();
  const [wishedAgent, setAgent] = createSignal<string>();
  const [wishedFolder, setFolder] = createSignal<string>();
  /** Tried again, it is the same wish, whatever chats and agents are known by then. */
  const [tried, setTried] = createSignal(unheard());
  const [problem, setProblem] = createSignal<{ message: string; hint?: string }>();
  let input: HTMLTextAreaElement | undefined;
  let isHere = true;

  const lastUsed = () => chats.list.find((chat) => found()?.some((agent) => agent.id === chat.agent))?.agent;
  const mode = (): Mode => wishedMode() ?? tried()?.mode ?? settings()?.values.interactionModeDefault ?? "agent";
  const agent = () => wishedAgent() ?? tried()?.agent ?? lastUsed() ?? found()?.[0]?.id;
  const folder = () => wishedFolder() ?? tried()?.workspace ?? recent()[0] ?? "";
  /** The chosen agent, if it may have sessions of its own to show. */
  const offering = () => (mode() === "llm" ? undefined : found()?.find((one) => one.id === agent() && mayList(one))?.id);
  onCleanup(() => (isHere = false));
  onMount(() => matchMedia("(pointer: fine)").matches && input?.focus());

  function wish(text: string): ChatWish {
    return { workspace: folder().trim(), mode: mode(), text, ...(agent() && { agent: agent()! }) };
  }
  /** Choose something else, of what is shown now. */
  function change(choose: () => void) {
    setMode(mode());
    setAgent(agent());
    setFolder(folder());
    setTried(undefined);
    choose();
  }
  function choose(agent: string) {
    setMode("agent");
    setAgent(agent);
  }
  // The address may name one; that was so, too, when it was tried.
  createEffect(() => {
    const now = route();
    const given = now.page === "new" ? now.agent : undefined;
    if (given === undefined || untrack(tried)?.agent === given) return;
    setTried(undefined);
    choose(given);
  });
  async function begin(text: string) {
    setStarting(true);
    setProblem(undefined);
    setTried((before) => (before?.text === text ? before : wish(text)));
    try {
      const { attachments } = draft("new");
      const chat = await createChat(tried()!, attachments);
      // What was typed or attached meanwhile stays.
      if (draft("new").text.trim() === text) draft("new").set("");
      draft("new").detach(attachments);
      if (isHere) navigate(pathTo.chat(chat.id));
    } catch (error) {
      setProblem(error as { message: string; hint?: string });
    } finally {
      setStarting(false);
    }
  }
  return (
    <div class="new-chat">
      <header class="chat-head only-narrow">
        <a class="icon-button" href={pathTo.home} aria-label="All chats">
          <BackIcon />
        </a>
        <h1>New chat</h1>
      </header>
      <div class="new-chat-column">
        <h1 class="only-wide">What shall be done?</h1>
        <Composer
          ref={(area) => (input = area)}
          draft={draft("new")}
          placeholder="The first message"
          isRunning={false}
          isStopping={false}
          isSending={isStarting()}
          onSend={(text) => void begin(text)}
          onStop={() => undefined}
        >
          <WhoSelect
            mode={mode()}
            agent={agent()}
            onAssistant={() => change(() => setMode("llm"))}
            onAgent={(id) => change(() => choose(id))}
          />
          <Show when={mode() === "llm"}>
            <ModelChip />
            <WorkSelect agent={agent()} onChoose={(id) => change(() => setAgent(id))} />
          </Show>
          <label class="folder-field">
            <FolderIcon />
            <span class="unseen">Workspace</span>
            <input
              ref={(field) => createEffect(() => showEnd(field, folder()))}
              onBlur={(event) => showEnd(event.currentTarget, folder())}
              title={folder()}
              list="recent-folders"
              class="mono"
              placeholder="The server’s folder"
              autocapitalize="off"
              spellcheck={false}
              value={folder()}
              onInput={(event) => change(() => setFolder(event.currentTarget.value))}
            />
          </label>
          <datalist id="recent-folders">
            <For each={recent()}>{(path) => <option value={path} />}</For>
          </datalist>
        </Composer>
        <Show when={problem()}>
          {(error) => <ErrorCard name="new-chat" message={error().message} hint={error().hint} />}
        </Show>
        <Show when={offering()}>
          {(id) => (
            <p class="new-chat-more">
              <a href={pathTo.history(id())}>Go on with an earlier session</a>
            </p>
          )}
        </Show>
        <Show when={found()?.length === 0}>
          <p class="quiet">
            No agent was found on this machine. <a href={pathTo.home}>See how to get one</a>.
          </p>
        </Show>
      </div>
    </div>
  );
}

/** What was asked for with the text that is still here, if nothing was heard of it. */
function unheard(): ChatWish | undefined {
  const wish = unheardWish();
  return wish?.text === draft("new").text.trim() ? wish : undefined;
}

const choices = () => agents()?.filter(isThere) ?? [];

/** Who answers: the assistant, or one of the agents. */
function WhoSelect(props: {
  mode: Mode;
  agent: string | undefined;
  onAssistant: () => void;
  onAgent: (agent: string) => void;
}): JSX.Element {
  return (
    <label class="select">
      <span class="unseen">Who answers</span>
      <select
        data-testid="who"
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          if (chosen === "") props.onAssistant();
          else props.onAgent(chosen);
        }}
      >
        <option value="" selected={props.mode === "llm"}>
          {ASSISTANT}
        </option>
        <For each={choices()}>
          {(agent) => (
            <option value={agent.id} selected={props.mode === "agent" && agent.id === props.agent}>
              {agent.display_name}
            </option>
          )}
        </For>
      </select>
      <DownIcon />
    </label>
  );
}

/** Which agent the assistant hands work to. */
function WorkSelect(props: { agent: string | undefined; onChoose: (agent: string) => void }): JSX.Element {
  return (
    <Show when={choices().length > 0}>
      <label class="select" title="The agent that the assistant hands work to">
        <span class="unseen">Hands work to</span>
        <select data-testid="work-agent" onChange={(event) => props.onChoose(event.currentTarget.value)}>
          <For each={choices()}>
            {(agent) => (
              <option value={agent.id} selected={agent.id === props.agent}>
                with {agent.display_name}
              </option>
            )}
          </For>
        </select>
        <DownIcon />
      </label>
    </Show>
  );
}

/** Of a long path the end says more than the beginning; while it is typed, the cursor decides. */
function showEnd(field: HTMLInputElement, path: string): void {
  requestAnimationFrame(() => {
    if (path && document.activeElement !== field) field.scrollLeft = field.scrollWidth;
  });
}
