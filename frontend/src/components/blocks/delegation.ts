// What a block of delegated work tells: the agent's words so far, whether it is done, and in which session.
//
// Lives here: reading it off the blocks. Lives elsewhere: which blocks are within a call (../conversation/rows.ts),
// drawing it (DelegatedWork.tsx).
import type { Block, ToolBlock } from "../../state";
import { hasEnded, progressOf } from "../tool/words";

/** The tool with which the assistant hands work to an agent. */
const TOOL = "copilot_agent";

export interface Delegation {
  /** Every word of the agent within this call. */
  readonly copilotStream: string;
  readonly copilotDone: boolean;
  readonly copilotSessionName: string;
  /** Which agent works; undefined where only the chat knows. */
  readonly agent: string | undefined;
  /** What the assistant asked of it. */
  readonly prompt: string;
  /** How it ended, in a word or two; empty while it works. */
  readonly end: string;
  /** Somebody must answer before it goes on. */
  readonly waits: boolean;
}

export function isDelegation(block: ToolBlock): boolean {
  return block.tool_call_id === undefined && block.name === TOOL;
}

export function delegationOf(block: ToolBlock, inner: readonly Block[]): Delegation {
  const copilotDone = block.delegated !== undefined || hasEnded(block);
  return {
    // Put together only where it is wanted: it may be long, and it grows with every word.
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

/** What an agent is called in the line of its block. */
export function shortName(agent: string | undefined, displayName: string): string {
  return agent === "copilot" ? "Copilot" : displayName;
}

/** Work that began before this page did, or went on while the server was away. */
export function isRecovered(block: ToolBlock, recoveredAt: number | undefined, pageBegan: number): boolean {
  return block.at < pageBegan || (recoveredAt !== undefined && recoveredAt > block.pos);
}

function endOf(block: ToolBlock): string {
  switch (block.delegated?.stop_reason) {
    case "cancelled":
      return "stopped";
    case "interrupted":
      return "interrupted";
    case "error":
      return "failed";
    case "refusal":
      return "refused";
    case "max_tokens":
    case "max_turn_requests":
      return "stopped at its limit";
    default:
      return progressOf(block) === "failed" ? "failed" : progressOf(block) === "cancelled" ? "stopped" : "done";
  }
}

function textIn(input: unknown, name: string): string {
  const value = typeof input === "object" && input !== null ? (input as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : "";
}
