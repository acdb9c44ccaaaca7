// A block of delegated work: the agent's text so far, whether it is done, and its session.
//
// Lives here: reading it off the blocks. Lives elsewhere: which blocks are within a call (../conversation/rows.ts),
// drawing it (DelegatedWork.tsx).
import type { Block, ToolBlock } from "../../../state";
import { tableOf } from "../../../state/named";
import { hasEnded, progressOf } from "../../tool/toolLabels";
import { labels } from "../labels";

/** The tool with which the assistant delegates work to an agent. */
const TOOL = "copilot_agent";
const ENDS = tableOf<string>(labels.delegationEnds);
const PROGRESS = { failed: labels.delegationEnds.error, cancelled: labels.delegationEnds.cancelled } as const;

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

/** The message that continues the last turn: it names the sessions of work that was cut off, so that these are restored. */
export function continueWords(blocks: readonly Block[]): string {
  const turn = blocks.findLast((block) => block.kind === "turn")?.turn;
  const cut = blocks.flatMap((block) => (block.kind === "tool" && block.turn === turn && isDelegation(block) && block.delegated?.stop_reason === "interrupted" ? [block.delegated] : []));
  const names = [...new Map(cut.map((one) => [`${one.agent} ${one.session_name}`, labels.sessionOf(one.session_name, one.agent)])).values()];
  return names.length === 0 ? labels.continueWords : labels.continueSessions(names);
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
  const reason = block.delegated?.stop_reason;
  if (reason !== undefined && reason !== "end_turn") return ENDS.get(reason) ?? labels.otherReason(reason);
  const progress = progressOf(block);
  return progress === "failed" || progress === "cancelled" ? PROGRESS[progress] : labels.delegationEnds.end_turn;
}

function textIn(input: unknown, name: string): string {
  const value = typeof input === "object" && input !== null ? (input as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : "";
}
