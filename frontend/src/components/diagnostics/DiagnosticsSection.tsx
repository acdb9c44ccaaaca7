// The settings' diagnostics: the switches of the protocol log, and the chats to look into.
import { createSignal, For, Show, type JSX } from "solid-js";

import "./diagnostics.css";
import { changeSettings, settings, useChats } from "../../state";
import { createAttempt, type Attempt } from "../controls/attempt";
import { Skeleton } from "../controls/Skeleton";
import { visibleText } from "../question/content/visibleText";
import { isDecided } from "../settings/decided";
import { ChatDiagnostics } from "./ChatDiagnostics";
import { labels } from "./labels";

/** The newest chats of the list. */
const SHOWN = 30;

export default function DiagnosticsSection(): JSX.Element {
  const attempt = createAttempt();
  const chats = useChats();
  return (
    <>
      <section class="settings-part" aria-label={labels.title}>
        <h2>{labels.title}</h2>
        <p class="quiet">{labels.help}</p>
        <Show when={settings()} fallback={<Skeleton lines={3} label={labels.loading} />}>
          {(known) => (
            <>
              <Toggle name="acp_diagnostics" label={labels.logSwitch} says={labels.logSwitchHelp} isOn={known().values.acp_diagnostics} attempt={attempt} />
              <Toggle name="acp_diagnostics_texts" label={labels.textsSwitch} says={labels.textsSwitchHelp} isOn={known().values.acp_diagnostics_texts} attempt={attempt} />
            </>
          )}
        </Show>
        <p class="field-problem" role="alert">
          {attempt.problem()}
        </p>
      </section>
      <section class="settings-part" aria-label={labels.chats}>
        <h2>{labels.chats}</h2>
        <div class="diagnosed-chats">
          <For each={chats.list.slice(0, SHOWN)} fallback={<p class="quiet">{labels.noChats}</p>}>
            {(chat) => <OneChat id={chat.id} title={chat.title} />}
          </For>
        </div>
      </section>
    </>
  );
}

function OneChat(props: { id: string; title: string }): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  return (
    <details onToggle={(event) => event.target === event.currentTarget && setOpen(event.currentTarget.open)}>
      <summary>{visibleText(props.title || labels.untitled)}</summary>
      <Show when={isOpen()}>
        <Again chat={props.id} />
      </Show>
    </details>
  );
}

/** Loaded again when a switch changes, which takes effect at once. */
function Again(props: { chat: string }): JSX.Element {
  const values = () => settings()?.values;
  return (
    <Show keyed when={`${values()?.acp_diagnostics} ${values()?.acp_diagnostics_texts}`}>
      <ChatDiagnostics chat={props.chat} />
    </Show>
  );
}

function Toggle(props: { name: "acp_diagnostics" | "acp_diagnostics_texts"; label: string; says: string; isOn: boolean; attempt: Attempt }): JSX.Element {
  return (
    <label class="switch">
      <span class="switch-words">
        <strong>{props.label}</strong>
        <span class="quiet">
          {props.says}
          <Show when={isDecided(props.name)}> {labels.setByEnvironment}</Show>
        </span>
      </span>
      <input
        type="checkbox"
        role="switch"
        disabled={props.attempt.isBusy() || isDecided(props.name)}
        checked={props.isOn}
        onChange={async (event) => {
          const box = event.currentTarget;
          const isDone = await props.attempt.run(() => changeSettings({ [props.name]: box.checked }));
          if (!isDone) box.checked = props.isOn;
        }}
      />
    </label>
  );
}
