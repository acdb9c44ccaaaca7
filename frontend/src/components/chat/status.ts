// The current status of a chat in one word.

import type { ChatState } from "../../state";
import { heldUnder } from "../../state/named";
import { labels } from "./labels";

export interface Status {
  readonly word: string;
  readonly tone: "" | "good" | "work" | "need" | "bad";
  readonly isBusy: boolean;
  /** The agent it refers to. */
  readonly agent: string | undefined;
  readonly message: string | undefined;
  readonly hint: string | undefined;
}

const TONES = { starting: "work", connected: "good", busy: "work", disconnected: "", error: "bad" } as const;

/** The assistant has no process: it is ready or working. */
function assistantStatus({ head }: ChatState): Pick<Status, "word" | "tone" | "isBusy"> {
  return head.turn ? { word: labels.statuses.busy, tone: "work", isBusy: true } : { word: labels.statuses.ready, tone: "good", isBusy: false };
}

function knownAgent({ head }: ChatState) {
  const agent = head.turn?.agent ?? head.agent ?? Object.keys(head.agents)[0];
  return agent === undefined ? undefined : heldUnder(head.agents, agent);
}

export function isAgentRunning(state: ChatState): boolean {
  const status = knownAgent(state)?.status;
  return status !== undefined && status !== "disconnected" && status !== "error";
}

/** The sandbox that the agent's process runs in, if it runs in one. */
export function sandboxOf(state: ChatState): "standard" | "strict" | undefined {
  return knownAgent(state)?.sandbox;
}

export function statusOf(state: ChatState): Status {
  const { head } = state;
  const agent = head.turn?.agent ?? head.agent ?? Object.keys(head.agents)[0];
  const known = agent === undefined ? undefined : heldUnder(head.agents, agent);
  const about = { agent, message: known?.message, hint: known?.hint };
  if (head.questions.length > 0) return { word: labels.statuses.needsYou, tone: "need", isBusy: false, ...about };
  if (head.turn?.stopping) return { word: labels.statuses.stopping, tone: "work", isBusy: true, ...about };
  if (head.mode === "llm") return { ...assistantStatus(state), ...about };
  const status = head.turn && known?.status !== "starting" && known?.status !== "error" ? "busy" : known?.status;
  // A connected agent with a message is restoring its session.
  if (status === "connected" && known?.message) return { word: labels.statuses.restoring, tone: "work", isBusy: true, ...about };
  if (status === undefined) return { word: labels.statuses.notStarted, tone: "", isBusy: false, ...about };
  return {
    word: labels.statuses[status],
    tone: TONES[status],
    isBusy: status === "busy" || status === "starting",
    ...about,
  };
}
