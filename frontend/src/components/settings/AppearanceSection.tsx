// How the page looks in this browser.
import { For, type JSX } from "solid-js";

import { setTheme, theme, type Theme } from "../frame/theme";

const THEMES: readonly (readonly [Theme, string, string])[] = [
  ["system", "As the system", "Light or dark as this device is."],
  ["light", "Light", ""],
  ["dark", "Dark", ""],
];

export function AppearanceSection(): JSX.Element {
  return (
    <fieldset class="choices">
      <legend class="field-label">Colours, in this browser</legend>
      <For each={THEMES}>
        {([value, name, says]) => (
          <label class="choice">
            <input type="radio" name="theme" value={value} checked={theme() === value} onChange={() => setTheme(value)} />
            <span>
              <strong>{name}</strong>
              <span class="quiet">{says}</span>
            </span>
          </label>
        )}
      </For>
    </fieldset>
  );
}
