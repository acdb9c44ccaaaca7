// An agent's past sessions: filtered by folder, opened as a chat that shows and continues them.
import { createEffect, createSignal, For, on, Show, type JSX } from "solid-js";

import "../components/settings/settings.css";
import { agents, navigate, pastSessions, pathTo, useChats, type PastSession } from "../state";
import { mayList } from "../components/agent/abilities";
import { PastSessionRow } from "../components/agent/PastSessionRow";
import { ErrorCard } from "../components/blocks/ErrorCard";
import { Skeleton } from "../components/controls/Skeleton";
import { Spinner } from "../components/controls/Spinner";
import { BackIcon, RetryIcon } from "../components/icons";
import { labels } from "./labels";

type Refusal = { message: string; hint?: string; status?: number };
/** The agent cannot list sessions; retrying does not help. */
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
      // The agent or folder may have changed by now.
      if (mine !== asked) return;
      setList([...(cursor ? (list() ?? []) : []), ...page.sessions]);
      setNext(page.next ?? undefined);
    } catch (error) {
      if (mine === asked) setProblem(error as Refusal);
    }
    if (mine === asked) setAsking(false);
  }
  createEffect(on(() => props.agent, () => void ask()));
  const forgotten = (session: PastSession) => setList(list()?.filter((one) => one !== session));

  return (
    <div class="settings">
      <header class="chat-head">
        <a class="icon-button only-narrow" href={pathTo.newChat} aria-label={labels.back}>
          <BackIcon />
        </a>
        <h1>{labels.history.title}</h1>
      </header>
      <div class="settings-scroll">
        <div class="settings-column">
          <form class="history-filter" onSubmit={(event) => event.preventDefault()}>
            <label class="field">
              <span class="field-label">{labels.history.agent}</span>
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
              <span class="field-label">{labels.history.folder}</span>
              <input
                class="input mono"
                list="history-folders"
                placeholder={labels.history.allFolders}
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
                    {labels.tryAgain}
                  </button>
                </Show>
              </ErrorCard>
            )}
          </Show>
          <Show when={list()} fallback={<Waiting isAsking={isAsking()} name={name()} />}>
            {(sessions) => (
              <Show when={sessions().length > 0} fallback={<p class="quiet">{next() ? labels.history.noneYet : labels.history.none(name())}</p>}>
                <ul class="sessions">
                  <For each={sessions()}>
                    {(session) => <PastSessionRow agent={props.agent} session={session} onForgotten={() => forgotten(session)} />}
                  </For>
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
                {labels.history.more}
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
        <Spinner /> {labels.history.loadingFrom(props.name)}
      </p>
      <Skeleton lines={6} label={labels.history.loading} />
    </Show>
  );
}
