// The agents of this machine.
//
// Lives here: loading them once and on request; changing them. Lives
// elsewhere: how they are found (agents/installed/catalog.py).

import { createSignal } from "solid-js";

import * as api from "../../api/client";
import type { AgentInfo, AgentList } from "../../api/client";

const [known, setKnown] = createSignal<AgentList>();
let asking: Promise<void> | undefined;

/** Undefined until loaded; the first read starts loading. */
export function agents(): AgentInfo[] | undefined {
  if (known() === undefined) void refreshAgents().catch(() => undefined);
  return known()?.agents;
}

/** The agent of a chat that does not name one. */
export function defaultAgent(): string | undefined {
  return known()?.default;
}

/** Who answers in a chat that names neither a mode nor an agent. */
export function defaultMode(): "llm" | "agent" | undefined {
  return known()?.default_mode;
}

/** Why the settings file is not used, if it is not. */
export function settingsProblem(): string | undefined {
  return known()?.settings_problem ?? undefined;
}

/** What to do if no agent can run in a sandbox; undefined if one can. */
export function sandboxProblem(): string | undefined {
  return known()?.sandbox_problem ?? undefined;
}

/** Look for installed agents again. */
export function refreshAgents(): Promise<void> {
  asking ??= api
    .listAgents()
    .then((list) => void setKnown(list))
    .finally(() => (asking = undefined));
  return asking;
}

/** Change or add an agent; takes effect at its next start. */
export async function changeAgent(id: string, change: api.AgentChange): Promise<void> {
  await api.putAgent(id, change);
  await refreshAgents();
}

/** Reset a known agent to its default, or remove a custom one. */
export async function removeAgent(id: string): Promise<void> {
  await api.deleteAgent(id);
  await refreshAgents();
}
