// One of an agent's past sessions: open it as a chat, fork or delete it.
import { createSignal, Show, type JSX } from "solid-js";

import "./agent.css";
import { agents, createChat, forgetSession, forkSession, navigate, pathTo, type PastSession } from "../../state";
import { createAttempt, type Attempt } from "../controls/attempt";
import { Dialog } from "../controls/Dialog";
import { Menu, type MenuItem } from "../controls/Menu";
import { Spinner } from "../controls/Spinner";
import { CopyIcon, FolderIcon, MoreIcon, TrashIcon } from "../icons";
import { visibleText } from "../question/content/visibleText";
import { ago } from "../when";
import { mayForget, mayFork } from "./abilities";
import { labels } from "./labels";

interface Props {
  agent: string;
  session: PastSession;
  onForgotten: () => void;
}

/** If a chat already has it, open that chat; otherwise create one. */
export function PastSessionRow(props: Props): JSX.Element {
  const attempt = createAttempt();
  const [isForgetting, setForgetting] = createSignal(false);
  const title = () => visibleText(props.session.title || labels.untitled);
  const open = (session: string) => async () => {
    const chat = await createChat({ agent: props.agent, workspace: props.session.cwd, load: session });
    navigate(pathTo.chat(chat.id));
  };
  const fork = async () => {
    const { session_id, cwd } = props.session;
    await open(await forkSession(props.agent, session_id, cwd))();
  };
  const items = (): MenuItem[] => {
    const agent = agents()?.find((one) => one.id === props.agent);
    if (agent === undefined) return [];
    return [
      ...(mayFork(agent) ? [{ label: labels.fork, icon: CopyIcon, act: () => void attempt.run(fork) }] : []),
      ...(mayForget(agent) && !props.session.chat
        ? [{ label: labels.delete, icon: TrashIcon, isGrave: true, act: () => void setForgetting(true) }]
        : []),
    ];
  };
  return (
    <li class="past-session" data-testid="past-session">
      <Show
        when={props.session.chat}
        fallback={
          <button
            type="button"
            class="session"
            disabled={attempt.isBusy()}
            onClick={() => void attempt.run(open(props.session.session_id))}
          >
            <About session={props.session} title={title()} />
            <Show when={attempt.isBusy()}>
              <Spinner label={labels.opening} />
            </Show>
          </button>
        }
      >
        {(chat) => (
          <a class="session" href={pathTo.chat(chat())}>
            <About session={props.session} title={title()} />
            <Show when={attempt.isBusy()} fallback={<span class="chip">{labels.isOpen}</span>}>
              <Spinner label={labels.forking} />
            </Show>
          </a>
        )}
      </Show>
      <Show when={items().length > 0}>
        <Menu label={labels.moreActions(title())} icon={MoreIcon} items={items()} />
      </Show>
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem()}
        </p>
      </Show>
      <Dialog isOpen={isForgetting()} title={labels.deleteTitle} onClose={() => setForgetting(false)}>
        <Forget {...props} title={title()} onClose={() => setForgetting(false)} />
      </Dialog>
    </li>
  );
}

function About(props: { session: PastSession; title: string }): JSX.Element {
  return (
    <>
      <span class="session-title">{props.title}</span>
      <span class="session-place quiet small">
        <FolderIcon />
        <span class="cut">{visibleText(props.session.cwd)}</span>
      </span>
      <span class="session-time quiet small">{when(props.session.updated_at)}</span>
    </>
  );
}

function Forget(props: Props & { title: string; onClose: () => void }): JSX.Element {
  const attempt: Attempt = createAttempt();
  const forget = async () => {
    if (await attempt.run(() => forgetSession(props.agent, props.session.session_id))) props.onForgotten();
  };
  return (
    <div class="dialog-body">
      <p>{labels.deleteHelp(props.title)}</p>
      <p class="field-problem" role="alert">
        {attempt.problem()}
      </p>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={() => props.onClose()}>
          {labels.cancel}
        </button>
        <button type="button" class="button button-bad" disabled={attempt.isBusy()} onClick={() => void forget()}>
          <Show when={attempt.isBusy()}>
            <Spinner label={labels.deleting} />
          </Show>
          {labels.delete}
        </button>
      </div>
    </div>
  );
}

function when(updated: string | null): string {
  const at = updated === null ? Number.NaN : Date.parse(updated) / 1000;
  return Number.isNaN(at) ? "" : ago(at);
}
