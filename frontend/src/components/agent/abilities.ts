// What an agent offers, as far as it has said.

import type { AgentInfo } from "../../state";

/** Whether it may have a list of its own sessions: it says so, or it was never asked. */
export function mayList(agent: AgentInfo): boolean {
  if (agent.seen === null) return isThere(agent);
  return isThere(agent) && offers(agent, "list") && canRestore(agent) !== false;
}

/** Whether it copies its sessions: it says so, or it was never asked. */
export function mayFork(agent: AgentInfo): boolean {
  return agent.seen === null || offers(agent, "fork");
}

/** Whether it forgets its sessions when told to. */
export function mayForget(agent: AgentInfo): boolean {
  return agent.seen === null || offers(agent, "delete");
}

/** Whether it brings a session back after it ended; undefined when it was never asked. */
export function canRestore(agent: AgentInfo): boolean | undefined {
  if (agent.seen === null) return undefined;
  return agent.seen.capabilities["loadSession"] === true || offers(agent, "resume");
}

/** Its program was found, or it is one that is connected to. */
export function isThere(agent: AgentInfo): boolean {
  return agent.found !== null || agent.tcp !== "";
}

/** A marker is true or an object; its absence, null and false all mean no. */
function offers(agent: AgentInfo, what: string): boolean {
  const sessions = agent.seen?.capabilities["sessionCapabilities"];
  const marker = typeof sessions === "object" && sessions !== null ? (sessions as Record<string, unknown>)[what] : undefined;
  return marker === true || (typeof marker === "object" && marker !== null);
}
