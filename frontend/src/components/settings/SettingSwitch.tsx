// A setting that is on or off.
import { Show, type JSX } from "solid-js";

import { changeSettings } from "../../state";
import type { Attempt } from "../controls/attempt";
import { isDecided } from "./decided";
import { labels } from "./labels";

export function SettingSwitch(props: {
  name: string;
  /** Its name in the settings file, if different. */
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
          <Show when={isDecided(props.setting ?? props.name)}> {labels.setByEnvironment}</Show>
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
