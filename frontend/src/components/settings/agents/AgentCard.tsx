// One agent: whether it is installed, its capabilities, and its actions.
import { createSignal, For, Show, type JSX } from "solid-js";

import { changeSettings, defaultAgent, pathTo, refreshAgents, removeAgent, type AgentInfo } from "../../../state";
import { isThere, mayList } from "../../agent/abilities";
import { AgentVersion } from "../../agent/AgentVersion";
import { createAttempt } from "../../controls/attempt";
import { CopyButton } from "../../controls/copy/CopyButton";
import { Dialog } from "../../controls/Dialog";
import { Menu, type MenuItem } from "../../controls/Menu";
import { CheckIcon, CopyIcon, EditIcon, MoreIcon, RetryIcon, TrashIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import { lately } from "../../when";
import { AgentCheck } from "./AgentCheck";
import { AgentEditor } from "./AgentEditor";
import { SANDBOX_NOTES } from "./sandboxWords";
import { labels } from "../labels";

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
    ...(isDefault() ? [] : [{ label: labels.agent.useForNew, icon: CheckIcon, act: () => void attempt.run(makeDefault) }]),
    { label: labels.agent.duplicate, icon: CopyIcon, act: () => setAsked("copy") },
    ...(props.agent.known && props.agent.changed
      ? [{ label: labels.agent.reset, icon: RetryIcon, act: () => setAsked("remove") }]
      : []),
    ...(props.agent.known ? [] : [{ label: labels.remove, icon: TrashIcon, isGrave: true, act: () => setAsked("remove") }]),
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
          <span class="chip">{labels.agent.isDefault}</span>
        </Show>
        <Show when={props.agent.changed}>
          <span class="chip">{labels.agent.isModified}</span>
        </Show>
        <Show when={!props.agent.known}>
          <span class="chip">{labels.agent.isCustom}</span>
        </Show>
        <Show when={props.agent.sandbox !== "off"}>
          <span class="chip" title={SANDBOX_NOTES[props.agent.sandbox]}>
            {labels.agent.sandbox(props.agent.sandbox)}
          </span>
        </Show>
        <Menu label={labels.agent.moreActions(props.agent.display_name)} icon={MoreIcon} items={more()} />
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
        <button type="button" class="button" disabled={isTried()} aria-label={labels.agent.test(props.agent.display_name)} onClick={() => setTried(true)}>
          {labels.test}
        </button>
        <button type="button" class="button" aria-label={labels.agent.edit(props.agent.display_name)} onClick={() => setAsked("edit")}>
          <EditIcon />
          {labels.edit}
        </button>
        <Show when={mayList(props.agent)}>
          <a class="button button-plain" href={pathTo.history(props.agent.id)}>
            {labels.agent.pastSessions}
          </a>
        </Show>
      </div>
      <Dialog isOpen={asked() === "edit"} title={labels.agent.edit(props.agent.display_name)} onClose={close}>
        <AgentEditor agent={props.agent} onDone={close} />
      </Dialog>
      <Dialog isOpen={asked() === "copy"} title={labels.agent.duplicateTitle(props.agent.display_name)} onClose={close}>
        <AgentEditor agent={undefined} like={props.agent} onDone={close} />
      </Dialog>
      <Dialog isOpen={asked() === "remove"} title={props.agent.known ? labels.agent.resetTitle : labels.agent.removeTitle} onClose={close}>
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
        <Show when={props.agent.install_hint} fallback={<p class="quiet">{labels.agent.notFound}</p>}>
          <p class="install">
            <code>{props.agent.install_hint}</code>
            <CopyButton text={() => props.agent.install_hint} label={labels.agent.copyInstall(props.agent.display_name)} />
          </p>
        </Show>
      }
    >
      <p class="mono agent-path breakable">{visibleText(props.agent.found ?? props.agent.tcp)}</p>
      <p class="small">
        {labels.agent.version} <AgentVersion agent={props.agent} />
      </p>
      <Show when={props.agent.seen} fallback={<p class="quiet small">{labels.agent.notStarted}</p>}>
        {(seen) => (
          <ul class="can-chips" aria-label={labels.agent.capabilities}>
            <For each={seen().can}>{(word) => <li class="chip">{visibleText(word)}</li>}</For>
            <li class="quiet small">{labels.agent.seen(lately(seen().at))}</li>
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
          ? labels.agent.resetHelp(props.agent.display_name)
          : labels.agent.removeHelp(props.agent.display_name)}
      </p>
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem()}
        </p>
      </Show>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={() => props.onDone()}>
          {labels.cancel}
        </button>
        <button
          type="button"
          class="button button-bad"
          disabled={attempt.isBusy()}
          onClick={() => void attempt.run(() => removeAgent(props.agent.id)).then((isGone) => isGone && props.onDone())}
        >
          {props.agent.known ? labels.agent.reset : labels.remove}
        </button>
      </div>
    </div>
  );
}
