// The agents of this machine.
//
// Lives here: asking for them once, and again when told. Lives elsewhere: how
// they are found (agents/catalog.py).

import { createSignal } from "solid-js";

import { listAgents, type AgentInfo } from "../api/client";

const [known, setKnown] = createSignal<AgentInfo[]>();
let asking: Promise<void> | undefined;

/** Undefined until known; the first reader makes us ask. */
export function agents(): AgentInfo[] | undefined {
  if (known() === undefined) void refreshAgents().catch(() => undefined);
  return known();
}

/** Look again for what is installed. */
export function refreshAgents(): Promise<void> {
  asking ??= listAgents()
    .then((list) => void setKnown(list))
    .finally(() => (asking = undefined));
  return asking;
}
