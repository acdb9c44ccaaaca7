// One agent: whether it is there, what it can do, and what can be done about it.
import { createSignal, For, Show, type JSX } from "solid-js";

import { changeSettings, defaultAgent, pathTo, refreshAgents, removeAgent, type AgentInfo } from "../../state";
import { isThere, mayList } from "../agent/abilities";
import { AgentVersion } from "../agent/AgentVersion";
import { createAttempt } from "../controls/attempt";
import { CopyButton } from "../controls/CopyButton";
import { Dialog } from "../controls/Dialog";
import { Menu, type MenuItem } from "../controls/Menu";
import { CheckIcon, CopyIcon, EditIcon, MoreIcon, RetryIcon, TrashIcon } from "../icons";
import { visibleText } from "../question/visibleText";
import { lately } from "../when";
import { AgentCheck } from "./AgentCheck";
import { AgentEditor } from "./AgentEditor";

export function AgentCard(props: { agent: AgentInfo }): JSX.Element {
  const [isTried, setTried] = createSignal(false);
  const [asked, setAsked] = createSignal<"edit" | "copy" | "remove">();
  const attempt = createAttempt();
  const isDefault = () => defaultAgent() === props.agent.id;
  const close = () => setAsked(undefined);

  const makeDefault = async () => {
    await changeSettings({ acpDefaultAgentId: props.agent.id });
    await refreshAgents();
  };
  const more = (): MenuItem[] => [
    ...(isDefault() ? [] : [{ label: "Use for new chats", icon: CheckIcon, act: () => void attempt.run(makeDefault) }]),
    { label: "Duplicate", icon: CopyIcon, act: () => setAsked("copy") },
    ...(props.agent.known && props.agent.changed
      ? [{ label: "As it was at first", icon: RetryIcon, act: () => setAsked("remove") }]
      : []),
    ...(props.agent.known ? [] : [{ label: "Remove", icon: TrashIcon, isGrave: true, act: () => setAsked("remove") }]),
  ];
  return (
    <li class="card" data-testid="agent-card" data-agent={props.agent.id}>
      <header class="card-head">
        <span class="agent-sign" classList={{ "agent-found": isThere(props.agent) }}>
          <Show when={isThere(props.agent)}>
            <CheckIcon />
          </Show>
        </span>
        <h3>{visibleText(props.agent.display_name)}</h3>
        <Show when={isDefault()}>
          <span class="chip">for new chats</span>
        </Show>
        <Show when={props.agent.changed}>
          <span class="chip">changed by you</span>
        </Show>
        <Show when={!props.agent.known}>
          <span class="chip">yours</span>
        </Show>
        <Menu label={`More about ${props.agent.display_name}`} icon={MoreIcon} items={more()} />
      </header>
      <Facts agent={props.agent} />
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem()}
        </p>
      </Show>
      <Show when={isTried()}>
        <AgentCheck agent={props.agent.id} onClose={() => setTried(false)} />
      </Show>
      <div class="card-foot">
        <button type="button" class="button" disabled={isTried()} aria-label={`Test ${props.agent.display_name}`} onClick={() => setTried(true)}>
          Test
        </button>
        <button type="button" class="button" aria-label={`Edit ${props.agent.display_name}`} onClick={() => setAsked("edit")}>
          <EditIcon />
          Edit
        </button>
        <Show when={mayList(props.agent)}>
          <a class="button button-plain" href={pathTo.history(props.agent.id)}>
            Earlier sessions
          </a>
        </Show>
      </div>
      <Dialog isOpen={asked() === "edit"} title={`Edit ${props.agent.display_name}`} onClose={close}>
        <AgentEditor agent={props.agent} onDone={close} />
      </Dialog>
      <Dialog isOpen={asked() === "copy"} title={`Duplicate ${props.agent.display_name}`} onClose={close}>
        <AgentEditor agent={undefined} like={props.agent} onDone={close} />
      </Dialog>
      <Dialog isOpen={asked() === "remove"} title={props.agent.known ? "As it was at first?" : "Remove this agent?"} onClose={close}>
        <Removal agent={props.agent} onDone={close} />
      </Dialog>
    </li>
  );
}

function Facts(props: { agent: AgentInfo }): JSX.Element {
  return (
    <Show
      when={isThere(props.agent)}
      fallback={
        <Show when={props.agent.install_hint} fallback={<p class="quiet">Its program was not found.</p>}>
          <p class="install">
            <code>{props.agent.install_hint}</code>
            <CopyButton text={() => props.agent.install_hint} label={`Copy the command that installs ${props.agent.display_name}`} />
          </p>
        </Show>
      }
    >
      <p class="mono agent-path breakable">{visibleText(props.agent.found ?? props.agent.tcp)}</p>
      <p class="small">
        Version <AgentVersion agent={props.agent} />
      </p>
      <Show when={props.agent.seen} fallback={<p class="quiet small">Not started yet: a test tells what it can do.</p>}>
        {(seen) => (
          <ul class="can-chips" aria-label="What it can do">
            <For each={seen().can}>{(word) => <li class="chip">{visibleText(word)}</li>}</For>
            <li class="quiet small">seen {lately(seen().at)}</li>
          </ul>
        )}
      </Show>
    </Show>
  );
}

function Removal(props: { agent: AgentInfo; onDone: () => void }): JSX.Element {
  const attempt = createAttempt();
  return (
    <div class="dialog-body">
      <p>
        {props.agent.known
          ? `What you changed of ${props.agent.display_name} is forgotten; its command and variables are the usual ones again.`
          : `${props.agent.display_name} is taken out of the settings. Chats with it stay, but cannot go on.`}
      </p>
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem()}
        </p>
      </Show>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={() => props.onDone()}>
          Keep it
        </button>
        <button
          type="button"
          class="button button-bad"
          disabled={attempt.isBusy()}
          onClick={() => void attempt.run(() => removeAgent(props.agent.id)).then((isGone) => isGone && props.onDone())}
        >
          {props.agent.known ? "Forget my changes" : "Remove"}
        </button>
      </div>
    </div>
  );
}
