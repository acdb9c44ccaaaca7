// The settings of the server.
//
// Lives here: the current settings, fetched on first use and on request;
// changing it. Lives elsewhere: the file they are in (settings/ on the server),
// agents (agents.ts), choices of this browser alone (localStore.ts).

import { createSignal } from "solid-js";

import * as api from "../../api/client";

const [known, setKnown] = createSignal<api.SettingsInfo>();
let asking: Promise<void> | undefined;

/** Undefined until loaded; the first read starts loading. */
export function settings(): api.SettingsInfo | undefined {
  if (known() === undefined) void refreshSettings().catch(() => undefined);
  return known();
}

export function refreshSettings(): Promise<void> {
  asking ??= api
    .readSettings()
    .then((now) => void setKnown(now))
    .finally(() => (asking = undefined));
  return asking;
}

/** How often to check for changes to the file while the page is visible. */
const LOOK_EVERY_MS = 60_000;

/** Check regularly whether the settings were changed; returns a function that stops it. */
export function watchSettings(): () => void {
  const look = () => document.hidden || void refreshSettings().catch(() => undefined);
  const clock = setInterval(look, LOOK_EVERY_MS);
  return () => clearInterval(clock);
}

/** Accept or reject the changes to the settings file that are shown; if it has changed again, shows the new changes. */
export async function decidePending(accept: boolean): Promise<void> {
  const shown = known()?.pending;
  if (!shown) return;
  try {
    setKnown(await api.postPending(shown.fingerprint, accept));
  } catch (error) {
    await refreshSettings();
    throw error;
  }
}

/** By their names in the settings file; null resets to the default. */
export async function changeSettings(values: { [name: string]: unknown }): Promise<void> {
  setKnown(await api.putSettings(values));
}
