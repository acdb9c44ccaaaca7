// How the page looks in this browser.
import { For, type JSX } from "solid-js";

import { setTheme, theme, type Theme } from "../frame/theme";
import { labels } from "./labels";

const THEMES: readonly (readonly [Theme, string, string])[] = [
  ["system", labels.appearance.system, labels.appearance.systemHelp],
  ["light", labels.appearance.light, ""],
  ["dark", labels.appearance.dark, ""],
];

export function AppearanceSection(): JSX.Element {
  return (
    <fieldset class="choices">
      <legend class="field-label">{labels.appearance.legend}</legend>
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
