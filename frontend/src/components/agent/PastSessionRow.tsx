// One of an agent's own sessions: opened as a chat, copied, or forgotten.
import { createSignal, Show, type JSX } from "solid-js";

import "../../styles/history.css";
import { agents, createChat, forgetSession, forkSession, navigate, pathTo, type PastSession } from "../../state";
import { createAttempt, type Attempt } from "../controls/attempt";
import { Dialog } from "../controls/Dialog";
import { Menu, type MenuItem } from "../controls/Menu";
import { Spinner } from "../controls/Spinner";
import { CopyIcon, FolderIcon, MoreIcon, TrashIcon } from "../icons";
import { visibleText } from "../question/visibleText";
import { ago } from "../when";
import { mayForget, mayFork } from "./abilities";

interface Props {
  agent: string;
  session: PastSession;
  onForgotten: () => void;
}

/** One that a chat has already leads there; any other becomes a chat. */
export function PastSessionRow(props: Props): JSX.Element {
  const attempt = createAttempt();
  const [isForgetting, setForgetting] = createSignal(false);
  const title = () => visibleText(props.session.title || "Without a title");
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
      ...(mayFork(agent) ? [{ label: "Go on in a copy", icon: CopyIcon, act: () => void attempt.run(fork) }] : []),
      ...(mayForget(agent) && !props.session.chat
        ? [{ label: "Forget", icon: TrashIcon, isGrave: true, act: () => void setForgetting(true) }]
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
              <Spinner label="Opening" />
            </Show>
          </button>
        }
      >
        {(chat) => (
          <a class="session" href={pathTo.chat(chat())}>
            <About session={props.session} title={title()} />
            <Show when={attempt.isBusy()} fallback={<span class="chip">open as a chat</span>}>
              <Spinner label="Copying" />
            </Show>
          </a>
        )}
      </Show>
      <Show when={items().length > 0}>
        <Menu label={`More about ${title()}`} icon={MoreIcon} items={items()} />
      </Show>
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem()}
        </p>
      </Show>
      <Dialog isOpen={isForgetting()} title="Forget this session?" onClose={() => setForgetting(false)}>
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
      <p>“{props.title}” goes for good on the agent’s side too. Files it changed stay as they are.</p>
      <p class="field-problem" role="alert">
        {attempt.problem()}
      </p>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={() => props.onClose()}>
          Keep it
        </button>
        <button type="button" class="button button-bad" disabled={attempt.isBusy()} onClick={() => void forget()}>
          <Show when={attempt.isBusy()}>
            <Spinner label="Forgetting" />
          </Show>
          Forget
        </button>
      </div>
    </div>
  );
}

function when(updated: string | null): string {
  const at = updated === null ? Number.NaN : Date.parse(updated) / 1000;
  return Number.isNaN(at) ? "" : ago(at);
}
