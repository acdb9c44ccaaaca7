// How a chat is right now, in one word.

import type { ChatState } from "../../state";

export interface Status {
  readonly word: string;
  readonly tone: "" | "good" | "work" | "need" | "bad";
  readonly isBusy: boolean;
  /** Which agent it is about. */
  readonly agent: string | undefined;
  readonly message: string | undefined;
  readonly hint: string | undefined;
}

const TONES = { starting: "work", connected: "good", busy: "work", disconnected: "", error: "bad" } as const;
const WORDS = { starting: "Starting", connected: "Connected", busy: "Busy", disconnected: "Not running", error: "Error" };

/** The assistant needs no process of its own: it is there, or at work. */
function assistantStatus({ head }: ChatState): Pick<Status, "word" | "tone" | "isBusy"> {
  return head.turn ? { word: "Busy", tone: "work", isBusy: true } : { word: "Ready", tone: "good", isBusy: false };
}

export function statusOf(state: ChatState): Status {
  const { head } = state;
  const agent = head.turn?.agent ?? head.agent ?? Object.keys(head.agents)[0];
  const known = agent === undefined ? undefined : head.agents[agent];
  const about = { agent, message: known?.message, hint: known?.hint };
  if (head.questions.length > 0) return { word: "Needs you", tone: "need", isBusy: false, ...about };
  if (head.turn?.stopping) return { word: "Stopping", tone: "work", isBusy: true, ...about };
  if (head.mode === "llm") return { ...assistantStatus(state), ...about };
  const status = head.turn && known?.status !== "starting" && known?.status !== "error" ? "busy" : known?.status;
  // A connected agent that has something to say is bringing its session back.
  if (status === "connected" && known?.message) return { word: "Restoring", tone: "work", isBusy: true, ...about };
  if (status === undefined) return { word: "Not started", tone: "", isBusy: false, ...about };
  return {
    word: WORDS[status],
    tone: TONES[status],
    isBusy: status === "busy" || status === "starting",
    ...about,
  };
}
