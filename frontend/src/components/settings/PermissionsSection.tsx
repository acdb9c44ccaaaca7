// What agents may do without asking, and the log of decisions.
import { For, Show, type JSX } from "solid-js";

import { changeSettings, settings } from "../../state";
import { createAttempt, type Attempt } from "../controls/attempt";
import { Skeleton } from "../controls/Skeleton";
import { Decisions } from "./Decisions";
import { isDecided } from "./decided";
import { SettingSwitch } from "./SettingSwitch";
import { TrustedFolders } from "./TrustedFolders";
import { labels } from "./labels";

const WAITS: readonly (readonly [number, string])[] = Object.entries(labels.permissions.expireAfter).map(
  ([seconds, words]) => [Number(seconds), words] as const,
);

export function PermissionsSection(): JSX.Element {
  const attempt = createAttempt();
  return (
    <>
      <Show when={settings()} fallback={<Skeleton lines={6} label={labels.loading} />}>
        {(known) => (
          <>
            <section class="settings-part" aria-label={labels.permissions.allChats}>
              <h2>{labels.permissions.allChats}</h2>
              <SettingSwitch
                name="strict"
                label={labels.permissions.strict}
                says={labels.permissions.strictHelp}
                isOn={known().values.strict}
                attempt={attempt}
              />
              <SettingSwitch
                name="acpAutoAllowPermissions"
                setting="acp_auto_allow_permissions"
                label={labels.permissions.auto}
                says={labels.permissions.autoHelp}
                isOn={known().values.acpAutoAllowPermissions}
                attempt={attempt}
              />
              <Waiting seconds={known().values.question_timeout} attempt={attempt} />
            </section>
            <section class="settings-part" aria-label={labels.permissions.defaults}>
              <h2>{labels.permissions.defaults}</h2>
              <dl class="facts lanes">
                <dt>{labels.permissions.yourAgents}</dt>
                <dd>{labels.permissions.yourAgentsHelp}</dd>
                <dt>{labels.permissions.delegated}</dt>
                <dd>{labels.permissions.delegatedHelp}</dd>
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

function Waiting(props: { seconds: number; attempt: Attempt }): JSX.Element {
  const choices = () =>
    WAITS.some(([seconds]) => seconds === props.seconds) ? WAITS : [...WAITS, [props.seconds, labels.permissions.expireSeconds(props.seconds)] as const];
  return (
    <label class="switch">
      <span class="switch-words">
        <strong>{labels.permissions.expire}</strong>
        <span class="quiet">{labels.permissions.expireHelp}</span>
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
