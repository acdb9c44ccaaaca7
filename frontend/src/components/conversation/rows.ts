// The rows of a conversation.
//
// Lives here: which blocks stand alone, which are grouped into one line of activity, and which belong inside
// another block. Lives elsewhere: drawing rows (Row.tsx), what a group is called (../tool/summary.ts).
import type { Block, ThoughtBlock, ToolBlock } from "../../state";
import { isDelegation } from "../blocks/work/delegation";
import { hasEnded } from "../tool/toolLabels";

export type Activity = ToolBlock | ThoughtBlock;

interface Placed {
  readonly key: string;
  /** The time of the next block, if there is one. */
  readonly until: number | undefined;
}

export type Row =
  | (Placed & { readonly kind: "block"; readonly block: Block })
  | (Placed & { readonly kind: "group"; readonly blocks: readonly Activity[] })
  | (Placed & { readonly kind: "delegated"; readonly block: ToolBlock; readonly inner: readonly Block[] });

const CHANGES = new Set(["edit", "delete", "move"]);

/**
 * Consecutive calls that have ended become one row, with edits separate from reads and commands, so that
 * changes are never hidden among reads. A thought at the end of a running turn is still in progress. Rows
 * that did not change are reused.
 */
export function rowsOf(blocks: readonly Block[], liveTurn?: string, before: readonly Row[] = []): Row[] {
  const inner = innerBlocks(blocks);
  const named = namedTerminals(blocks);
  const isShownInCall = (block: Block) => block.kind === "terminal" && named.has(block.terminal_id);
  const outer = blocks.filter((block) => !isInside(block, inner) && !isQuiet(block) && !isShownInCall(block));
  const known = new Map(before.map((row) => [row.key, row]));
  const rows: Row[] = [];
  let at = 0;
  while (at < outer.length) {
    const run = runFrom(outer, at, inner, liveTurn);
    at += Math.max(1, run.length);
    const until = outer[at]?.at;
    const row = run.length > 0 ? rowOfRun(run, until) : rowOfBlock(outer[at - 1]!, inner, until);
    const old = known.get(row.key);
    rows.push(old && isSame(old, row) ? old : row);
  }
  return rows;
}

/** The calls from here on that form a group; empty if this block stands alone. */
function runFrom(blocks: readonly Block[], from: number, inner: Map<string, Block[]>, liveTurn?: string): Activity[] {
  const run: Activity[] = [];
  for (let at = from; at < blocks.length; at += 1) {
    const block = blocks[at]!;
    const isThinking = at === blocks.length - 1 && block.kind === "thought" && block.turn === liveTurn;
    if (!isActivity(block) || isThinking || laneOf(block) === null) break;
    if (block.kind === "tool" && (inner.has(block.id) || isDelegation(block))) break;
    if (run.length > 0 && !mayJoin(run, block)) break;
    run.push(block);
  }
  return run;
}

function rowOfBlock(block: Block, inner: Map<string, Block[]>, until: number | undefined): Row {
  const own = block.kind === "tool" && !block.tool_call_id ? inner.get(block.id) : undefined;
  if (block.kind === "tool" && (own || isDelegation(block))) {
    return { kind: "delegated", key: keyOf(block), block, inner: own ?? [], until };
  }
  return { kind: "block", key: keyOf(block), block, until };
}

/** The blocks of each delegated call, by the call's id. */
function innerBlocks(blocks: readonly Block[]): Map<string, Block[]> {
  const calls = new Set(blocks.flatMap((block) => (block.kind === "tool" && !block.tool_call_id ? [block.id] : [])));
  const inner = new Map<string, Block[]>();
  for (const block of blocks) {
    const call = block.tool_call_id;
    if (call === undefined || !calls.has(call)) continue;
    const list = inner.get(call);
    if (list) list.push(block);
    else inner.set(call, [block]);
  }
  return inner;
}

function isInside(block: Block, inner: Map<string, Block[]>): boolean {
  return block.tool_call_id !== undefined && inner.has(block.tool_call_id);
}

/** Terminals that a tool call shows inside itself. */
function namedTerminals(blocks: readonly Block[]): Set<string> {
  const named = new Set<string>();
  for (const block of blocks) {
    if (block.kind !== "tool") continue;
    for (const content of block.content) if (content.type === "terminal" && content.terminalId) named.add(content.terminalId);
  }
  return named;
}

/** Empty and superseded thoughts are not shown. */
function isQuiet(block: Block): boolean {
  return block.kind === "thought" && (block.superseded === true || (block.text === "" && !block.parts?.length));
}

function isActivity(block: Block): block is Activity {
  return block.kind === "tool" || block.kind === "thought";
}

/** Calls of the same lane may be grouped; null for a running call. */
function laneOf(block: Activity): "changes" | "looks" | null {
  if (block.kind === "thought") return "looks";
  if (!hasEnded(block)) return null;
  return CHANGES.has(block.tool_kind) ? "changes" : "looks";
}

function mayJoin(run: readonly Activity[], block: Activity): boolean {
  const last = run.at(-1)!;
  return last.turn === block.turn && laneOf(last) === laneOf(block);
}

function rowOfRun(run: readonly Activity[], until: number | undefined): Row {
  const first = run[0]!;
  if (run.length === 1) return { kind: "block", key: keyOf(first), block: first, until };
  return { kind: "group", key: keyOf(first), blocks: run, until };
}

function keyOf(block: Block): string {
  return `${block.kind}-${block.pos}`;
}

function isSame(one: Row, other: Row): boolean {
  if (one.until !== other.until) return false;
  if (one.kind === "block" && other.kind === "block") return one.block === other.block;
  if (one.kind === "group" && other.kind === "group") return isSameList(one.blocks, other.blocks);
  if (one.kind === "delegated" && other.kind === "delegated") {
    return one.block === other.block && isSameList(one.inner, other.inner);
  }
  return false;
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}
