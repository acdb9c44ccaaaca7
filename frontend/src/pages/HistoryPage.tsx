// An agent's own sessions: chosen by folder, opened as a chat that shows and continues them.
import { createEffect, createSignal, For, on, Show, type JSX } from "solid-js";

import "../styles/settings.css";
import { agents, createChat, navigate, pastSessions, pathTo, useChats, type PastSession } from "../state";
import { mayList } from "../components/agent/abilities";
import { ErrorCard } from "../components/blocks/ErrorCard";
import { createAttempt } from "../components/controls/attempt";
import { Skeleton } from "../components/controls/Skeleton";
import { Spinner } from "../components/controls/Spinner";
import { BackIcon, FolderIcon, RetryIcon } from "../components/icons";
import { visibleText } from "../components/question/visibleText";
import { ago } from "../components/when";

type Refusal = { message: string; hint?: string; status?: number };
/** The agent has no list; asking again changes nothing. */
const NOT_OFFERED = 409;

export default function HistoryPage(props: { agent: string }): JSX.Element {
  const chats = useChats();
  const [folder, setFolder] = createSignal("");
  const [list, setList] = createSignal<PastSession[]>();
  const [next, setNext] = createSignal<string>();
  const [problem, setProblem] = createSignal<Refusal>();
  const [isAsking, setAsking] = createSignal(false);
  const choices = () => (agents() ?? []).filter((one) => mayList(one) || one.id === props.agent);
  const name = () => agents()?.find((one) => one.id === props.agent)?.display_name ?? props.agent;
  const recent = () => [...new Set(chats.list.map((chat) => chat.workspace))].slice(0, 12);
  let asked = 0;

  async function ask(cursor?: string) {
    asked += 1;
    const mine = asked;
    if (!cursor) setList(undefined);
    setProblem(undefined);
    setAsking(true);
    try {
      const page = await pastSessions(props.agent, folder().trim(), cursor);
      // The agent or the folder may be another by now.
      if (mine !== asked) return;
      setList([...(cursor ? (list() ?? []) : []), ...page.sessions]);
      setNext(page.next ?? undefined);
    } catch (error) {
      if (mine === asked) setProblem(error as Refusal);
    }
    if (mine === asked) setAsking(false);
  }
  createEffect(on(() => props.agent, () => void ask()));

  return (
    <div class="settings">
      <header class="chat-head">
        <a class="icon-button only-narrow" href={pathTo.newChat} aria-label="Back">
          <BackIcon />
        </a>
        <h1>Earlier sessions</h1>
      </header>
      <div class="settings-scroll">
        <div class="settings-column">
          <form class="history-filter" onSubmit={(event) => event.preventDefault()}>
            <label class="field">
              <span class="field-label">Agent</span>
              <select class="input" onChange={(event) => navigate(pathTo.history(event.currentTarget.value))}>
                <For each={choices()}>
                  {(agent) => (
                    <option value={agent.id} selected={agent.id === props.agent}>
                      {agent.display_name}
                    </option>
                  )}
                </For>
              </select>
            </label>
            <label class="field history-folder">
              <span class="field-label">Folder</span>
              <input
                class="input mono"
                list="history-folders"
                placeholder="All folders"
                autocapitalize="off"
                spellcheck={false}
                value={folder()}
                onInput={(event) => setFolder(event.currentTarget.value)}
                onChange={() => void ask()}
              />
              <datalist id="history-folders">
                <For each={recent()}>{(path) => <option value={path} />}</For>
              </datalist>
            </label>
          </form>
          <Show when={problem()}>
            {(error) => (
              <ErrorCard name="history" message={error().message} hint={error().hint}>
                <Show when={error().status !== NOT_OFFERED}>
                  <button type="button" class="button" onClick={() => void ask()}>
                    <RetryIcon />
                    Try again
                  </button>
                </Show>
              </ErrorCard>
            )}
          </Show>
          <Show when={list()} fallback={<Waiting isAsking={isAsking()} name={name()} />}>
            {(sessions) => (
              <Show when={sessions().length > 0} fallback={<p class="quiet">{name()} has no earlier sessions here.</p>}>
                <ul class="sessions">
                  <For each={sessions()}>{(session) => <Session agent={props.agent} session={session} />}</For>
                </ul>
              </Show>
            )}
          </Show>
          <Show when={list() && next()}>
            {(cursor) => (
              <button type="button" class="text-button" disabled={isAsking()} onClick={() => void ask(cursor())}>
                <Show when={isAsking()}>
                  <Spinner />
                </Show>
                Show more
              </button>
            )}
          </Show>
        </div>
      </div>
    </div>
  );
}

function Waiting(props: { isAsking: boolean; name: string }): JSX.Element {
  return (
    <Show when={props.isAsking}>
      <p class="quiet">
        <Spinner /> Asking {props.name}
      </p>
      <Skeleton lines={6} label="Loading sessions" />
    </Show>
  );
}

/** One that a chat has already leads there; any other becomes a chat. */
function Session(props: { agent: string; session: PastSession }): JSX.Element {
  const attempt = createAttempt();
  const title = () => visibleText(props.session.title || "Without a title");
  const open = () =>
    attempt.run(async () => {
      const { session_id, cwd } = props.session;
      const chat = await createChat({ agent: props.agent, workspace: cwd, load: session_id });
      navigate(pathTo.chat(chat.id));
    });
  const about = () => (
    <>
      <span class="session-title">{title()}</span>
      <span class="session-place quiet small">
        <FolderIcon />
        <span class="cut">{visibleText(props.session.cwd)}</span>
      </span>
      <span class="session-time quiet small">{when(props.session.updated_at)}</span>
    </>
  );
  return (
    <li data-testid="past-session">
      <Show
        when={props.session.chat}
        fallback={
          <button type="button" class="session" disabled={attempt.isBusy()} onClick={() => void open()}>
            {about()}
            <Show when={attempt.isBusy()}>
              <Spinner label="Opening" />
            </Show>
          </button>
        }
      >
        {(chat) => (
          <a class="session" href={pathTo.chat(chat())}>
            {about()}
            <span class="chip">open as a chat</span>
          </a>
        )}
      </Show>
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem()}
        </p>
      </Show>
    </li>
  );
}

function when(updated: string | null): string {
  const at = updated === null ? Number.NaN : Date.parse(updated) / 1000;
  return Number.isNaN(at) ? "" : ago(at);
}
