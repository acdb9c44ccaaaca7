// What agents may do without a person: for all chats, and what was decided so far.
import { For, Show, type JSX } from "solid-js";

import { changeSettings, settings } from "../../state";
import { createAttempt, type Attempt } from "../controls/attempt";
import { Skeleton } from "../controls/Skeleton";
import { Decisions } from "./Decisions";
import { isDecided } from "./decided";
import { TrustedFolders } from "./TrustedFolders";

const WAITS: readonly (readonly [number, string])[] = [
  [0, "for ever"],
  [300, "5 minutes"],
  [1800, "30 minutes"],
  [7200, "2 hours"],
];

export function PermissionsSection(): JSX.Element {
  const attempt = createAttempt();
  return (
    <>
      <Show when={settings()} fallback={<Skeleton lines={6} label="Loading settings" />}>
        {(known) => (
          <>
            <section class="settings-part" aria-label="For all chats">
              <h2>For all chats</h2>
              <Switch
                name="strict"
                label="Always ask"
                says="Every chat asks, whatever its own policy; stronger than everything else here."
                isOn={known().values.strict}
                attempt={attempt}
              />
              <Switch
                name="acpAutoAllowPermissions"
                setting="acp_auto_allow_permissions"
                label="Approve automatically"
                says="Every chat approves what may be approved. What is outside the folder, control files and changes of mode are asked about all the same."
                isOn={known().values.acpAutoAllowPermissions}
                attempt={attempt}
              />
              <Waiting seconds={known().values.question_timeout} attempt={attempt} />
            </section>
            <section class="settings-part" aria-label="Otherwise">
              <h2>Otherwise</h2>
              <dl class="facts lanes">
                <dt>Your agents</dt>
                <dd>A chat with an agent asks first. The chip below its messages changes that for the chat.</dd>
                <dt>Delegated work</dt>
                <dd>What an assistant hands to an agent follows the policy of the assistant’s chat.</dd>
              </dl>
            </section>
            <TrustedFolders folders={known().values.trusted_folders} attempt={attempt} />
          </>
        )}
      </Show>
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">
          {attempt.problem()}
        </p>
      </Show>
      <Decisions />
    </>
  );
}

function Switch(props: {
  name: string;
  /** Its name in the settings file, if it is another. */
  setting?: string;
  label: string;
  says: string;
  isOn: boolean;
  attempt: Attempt;
}): JSX.Element {
  return (
    <label class="switch">
      <span class="switch-words">
        <strong>{props.label}</strong>
        <span class="quiet">
          {props.says}
          <Show when={isDecided(props.setting ?? props.name)}> The environment of the server decides this.</Show>
        </span>
      </span>
      <input
        type="checkbox"
        role="switch"
        disabled={props.attempt.isBusy() || isDecided(props.setting ?? props.name)}
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

function Waiting(props: { seconds: number; attempt: Attempt }): JSX.Element {
  const choices = () =>
    WAITS.some(([seconds]) => seconds === props.seconds) ? WAITS : [...WAITS, [props.seconds, `${props.seconds} seconds`] as const];
  return (
    <label class="switch">
      <span class="switch-words">
        <strong>Questions wait</strong>
        <span class="quiet">After that they are turned down.</span>
      </span>
      <select
        class="input switch-select"
        disabled={props.attempt.isBusy() || isDecided("question_timeout")}
        onChange={async (event) => {
          const select = event.currentTarget;
          const isDone = await props.attempt.run(() => changeSettings({ question_timeout: Number(select.value) }));
          if (!isDone) select.value = String(props.seconds);
        }}
      >
        <For each={choices()}>
          {([seconds, words]) => (
            <option value={seconds} selected={seconds === props.seconds}>
              {words}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}
