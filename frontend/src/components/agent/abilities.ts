// An agent's capabilities, as far as it has reported them.

import type { AgentInfo } from "../../state";

/** Whether it may list its sessions: it says so, or has never been started. */
export function mayList(agent: AgentInfo): boolean {
  if (agent.seen === null) return isThere(agent);
  return isThere(agent) && offers(agent, "list") && canRestore(agent) !== false;
}

/** Whether it may fork its sessions: it says so, or has never been started. */
export function mayFork(agent: AgentInfo): boolean {
  return agent.seen === null || offers(agent, "fork");
}

/** Whether it can delete its sessions. */
export function mayForget(agent: AgentInfo): boolean {
  return agent.seen === null || offers(agent, "delete");
}

/** Whether it can restore a session; undefined if it has never been started. */
export function canRestore(agent: AgentInfo): boolean | undefined {
  if (agent.seen === null) return undefined;
  return agent.seen.capabilities["loadSession"] === true || offers(agent, "resume");
}

/** Its program was found, or it is reached by address. */
export function isThere(agent: AgentInfo): boolean {
  return agent.found !== null || agent.tcp !== "";
}

/** A marker is true or an object; absent, null and false mean no. */
function offers(agent: AgentInfo, what: string): boolean {
  const sessions = agent.seen?.capabilities["sessionCapabilities"];
  const marker = typeof sessions === "object" && sessions !== null ? (sessions as Record<string, unknown>)[what] : undefined;
  return marker === true || (typeof marker === "object" && marker !== null);
}
