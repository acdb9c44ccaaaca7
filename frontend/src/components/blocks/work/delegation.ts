// A block of delegated work: the agent's text so far, whether it is done, and its session.
//
// Lives here: reading it off the blocks. Lives elsewhere: which blocks are within a call (../conversation/rows.ts),
// drawing it (DelegatedWork.tsx).
import type { Block, ToolBlock } from "../../../state";
import { hasEnded, progressOf } from "../../tool/toolLabels";
import { labels } from "../labels";

/** The tool with which the assistant delegates work to an agent. */
const TOOL = "copilot_agent";

export interface Delegation {
  /** All text of the agent within this call. */
  readonly copilotStream: string;
  readonly copilotDone: boolean;
  readonly copilotSessionName: string;
  /** The agent; undefined if it is the chat's agent. */
  readonly agent: string | undefined;
  /** The task from the assistant. */
  readonly prompt: string;
  /** How it ended, briefly; empty while it works. */
  readonly end: string;
  /** A question must be answered before it continues. */
  readonly waits: boolean;
}

export function isDelegation(block: ToolBlock): boolean {
  return block.tool_call_id === undefined && block.name === TOOL;
}

export function delegationOf(block: ToolBlock, inner: readonly Block[]): Delegation {
  const copilotDone = block.delegated !== undefined || hasEnded(block);
  return {
    // Joined only on demand: it may be long and grows with every token.
    get copilotStream() {
      return inner.map((one) => (one.kind === "text" ? one.text : "")).join("");
    },
    copilotDone,
    copilotSessionName: block.delegated?.session_name ?? textIn(block.input, "session_name").trim(),
    agent: block.delegated?.agent ?? (textIn(block.input, "agent") || undefined),
    prompt: textIn(block.input, "prompt"),
    end: copilotDone ? endOf(block) : "",
    waits: !copilotDone && inner.some((one) => one.kind === "question" && one.answer === undefined),
  };
}

/** The agent's name in the line of its block. */
export function shortName(agent: string | undefined, displayName: string): string {
  return agent === "copilot" ? "Copilot" : displayName;
}

/** Work that started before this page was loaded, or continued while the server was down. */
export function isRecovered(block: ToolBlock, recoveredAt: number | undefined, pageBegan: number): boolean {
  return block.at < pageBegan || (recoveredAt !== undefined && recoveredAt > block.pos);
}

function endOf(block: ToolBlock): string {
  switch (block.delegated?.stop_reason) {
    case "cancelled":
      return labels.delegationEnds.cancelled;
    case "interrupted":
      return labels.delegationEnds.interrupted;
    case "error":
      return labels.delegationEnds.error;
    case "refusal":
      return labels.delegationEnds.refusal;
    case "max_tokens":
    case "max_turn_requests":
      return labels.delegationEnds.limit;
    default:
      return progressOf(block) === "failed" ? labels.delegationEnds.error : progressOf(block) === "cancelled" ? labels.delegationEnds.cancelled : labels.delegationEnds.done;
  }
}

function textIn(input: unknown, name: string): string {
  const value = typeof input === "object" && input !== null ? (input as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : "";
}
