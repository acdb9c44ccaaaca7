// The settings of the server.
//
// Lives here: what counts now, asked for when first wanted and again when told;
// changing it. Lives elsewhere: the file they are in (settings/ on the server),
// agents (agents.ts), choices of this browser alone (keep.ts).

import { createSignal } from "solid-js";

import * as api from "../api/client";

const [known, setKnown] = createSignal<api.SettingsInfo>();
let asking: Promise<void> | undefined;

/** Undefined until known; the first reader makes us ask. */
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

/** Under their names in the settings file; null is the default again. */
export async function changeSettings(values: { [name: string]: unknown }): Promise<void> {
  setKnown(await api.putSettings(values));
}
