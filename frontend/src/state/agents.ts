// The agents of this machine.
//
// Lives here: asking for them once, and again when told; changing them. Lives
// elsewhere: how they are found (agents/catalog.py).

import { createSignal } from "solid-js";

import * as api from "../api/client";
import type { AgentInfo, AgentList } from "../api/client";

const [known, setKnown] = createSignal<AgentList>();
let asking: Promise<void> | undefined;

/** Undefined until known; the first reader makes us ask. */
export function agents(): AgentInfo[] | undefined {
  if (known() === undefined) void refreshAgents().catch(() => undefined);
  return known()?.agents;
}

/** The agent of a chat that names none. */
export function defaultAgent(): string | undefined {
  return known()?.default;
}

/** Why the settings file is not used as it stands, if it is not. */
export function settingsProblem(): string | undefined {
  return known()?.settings_problem ?? undefined;
}

/** Look again for what is installed. */
export function refreshAgents(): Promise<void> {
  asking ??= api
    .listAgents()
    .then((list) => void setKnown(list))
    .finally(() => (asking = undefined));
  return asking;
}

/** Change an agent, or add one; counts from its next start. */
export async function changeAgent(id: string, change: api.AgentChange): Promise<void> {
  await api.putAgent(id, change);
  await refreshAgents();
}

/** A known agent is as it was at first; one of the person's own is gone. */
export async function removeAgent(id: string): Promise<void> {
  await api.deleteAgent(id);
  await refreshAgents();
}
