// Creating a chat: workspace, agent and first message. Pressing Enter is enough.
import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show, untrack, type JSX } from "solid-js";

import { agents, createChat, defaultAgent, defaultMode, draft, navigate, pathTo, route, settings, unheardWish, useChats, type ChatWish } from "../state";
import { isThere, mayList } from "../components/agent/abilities";
import { ErrorCard } from "../components/blocks/ErrorCard";
import { Composer } from "../components/composer/Composer";
import { ModelChip } from "../components/composer/options/ModelChip";
import { labels as composerLabels } from "../components/composer/labels";
import { BackIcon, DownIcon, FolderIcon } from "../components/icons";
import { labels } from "./labels";

type Mode = "llm" | "agent";

/** A chat is being created, even while another page is shown. */
const [isStarting, setStarting] = createSignal(false);

export default function NewChatPage(): JSX.Element {
  const chats = useChats();
  const found = () => agents()?.filter(isThere);
  const recent = createMemo(() => [...new Set(chats.list.map((chat) => chat.workspace))].slice(0, 12));
  const [wishedMode, setMode] = createSignal<Mode>();
  const [wishedAgent, setAgent] = createSignal<string>();
  const [wishedFolder, setFolder] = createSignal<string>();
  /** A retry repeats the same request, whatever chats and agents are known by then. */
  const [tried, setTried] = createSignal(unheard());
  const [problem, setProblem] = createSignal<{ message: string; hint?: string }>();
  let input: HTMLTextAreaElement | undefined;
  let isHere = true;

  const lastUsed = () => chats.list.find((chat) => found()?.some((agent) => agent.id === chat.agent))?.agent;
  const mode = (): Mode => wishedMode() ?? tried()?.mode ?? defaultMode() ?? "agent";
  const ifFound = (id: string | undefined) => found()?.find((agent) => agent.id === id)?.id;
  /** The agent chosen in the settings, otherwise the last one used. */
  const usual = () => ifFound(settings()?.values.acpDefaultAgentId) ?? lastUsed() ?? ifFound(defaultAgent()) ?? found()?.[0]?.id;
  const agent = () => wishedAgent() ?? tried()?.agent ?? usual();
  const folder = () => wishedFolder() ?? tried()?.workspace ?? recent()[0] ?? "";
  /** Where the chat will work, if the server lets this page look there. */
  const surroundings = createMemo(() => {
    const { work_dir = "", trusted_folders = [] } = settings()?.values ?? {};
    const wished = folder().trim() || work_dir;
    return [...recent(), work_dir, ...trusted_folders].includes(wished) && wished !== "" ? { workspace: wished } : undefined;
  });
  /** The chosen agent, if it may have past sessions. */
  const offering = () => (mode() === "llm" ? undefined : found()?.find((one) => one.id === agent() && mayList(one))?.id);
  onCleanup(() => (isHere = false));
  onMount(() => matchMedia("(pointer: fine)").matches && input?.focus());

  function wish(text: string): ChatWish {
    return { workspace: folder().trim(), mode: mode(), text, ...(agent() && { agent: agent()! }) };
  }
  /** Change the current choice. */
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
  // The address may name an agent, also when the request was first made.
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
      // Text typed or attached in the meantime stays.
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
        <a class="icon-button" href={pathTo.home} aria-label={labels.allChats}>
          <BackIcon />
        </a>
        <h1>{labels.newChat}</h1>
      </header>
      <div class="new-chat-column">
        <h1 class="only-wide">{labels.new.title}</h1>
        <Composer
          ref={(area) => (input = area)}
          draft={draft("new")}
          placeholder={labels.new.placeholder}
          isRunning={false}
          isStopping={false}
          isSending={isStarting()}
          about={surroundings()}
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
            <span class="unseen">{labels.new.workspace}</span>
            <input
              ref={(field) => createEffect(() => showEnd(field, folder()))}
              onBlur={(event) => showEnd(event.currentTarget, folder())}
              title={folder()}
              list="recent-folders"
              class="mono"
              placeholder={labels.new.defaultFolder}
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
              <a href={pathTo.history(id())}>{labels.new.pastSession}</a>
            </p>
          )}
        </Show>
        <Show when={found()?.length === 0}>
          <p class="quiet">
            {labels.new.noAgents} <a href={pathTo.home}>{labels.new.install}</a>.
          </p>
        </Show>
      </div>
    </div>
  );
}

/** The unconfirmed request that belongs to the text still in the field. */
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
      <span class="unseen">{composerLabels.answeredBy}</span>
      <select
        data-testid="who"
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          if (chosen === "") props.onAssistant();
          else props.onAgent(chosen);
        }}
      >
        <option value="" selected={props.mode === "llm"}>
          {composerLabels.assistant}
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

/** Which agent the assistant delegates to. */
function WorkSelect(props: { agent: string | undefined; onChoose: (agent: string) => void }): JSX.Element {
  return (
    <Show when={choices().length > 0}>
      <label class="select" title={labels.new.delegateHelp}>
        <span class="unseen">{labels.new.delegatesTo}</span>
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

/** Show the end of a long path, except while it is being edited. */
function showEnd(field: HTMLInputElement, path: string): void {
  requestAnimationFrame(() => {
    if (path && document.activeElement !== field) field.scrollLeft = field.scrollWidth;
  });
}
