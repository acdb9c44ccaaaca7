// A block somebody wants to see, wherever in the chat it is.
//
// Lives here: the wish, and what has to be opened around a block for it to be seen. Lives elsewhere: going there
// (Conversation.tsx).
import { createSignal } from "solid-js";

import { rowsOf, type Row } from "./rows";

interface Goal {
  readonly chat: string;
  readonly pos: number;
}

const [goal, setGoal] = createSignal<Goal | undefined>(undefined, { equals: false });

/** Show a tool call, by its place. */
export function goTo(chat: string, pos: number): void {
  setGoal({ chat, pos });
}

/** The call to show, if one was asked for just now; reactive. */
export function takeGoal(chat: string): number | undefined {
  const wanted = goal();
  if (wanted?.chat !== chat) return undefined;
  // A conversation that is drawn later is not to go there again.
  queueMicrotask(() => goal() === wanted && setGoal(undefined));
  return wanted.pos;
}

/** The row that shows a block. */
export function rowWith(rows: readonly Row[], pos: number): Row | undefined {
  return rows.find((row) => foldsAround(row, pos) !== undefined);
}

/** The names of all that must be open for it to be seen, outermost first; undefined if it is not in this row. */
export function foldsAround(row: Row, pos: number): string[] | undefined {
  if (row.kind === "block") return row.block.pos === pos ? [`${pos}`] : undefined;
  if (row.kind === "group") {
    return row.blocks.some((block) => block.pos === pos) ? [`group:${row.blocks[0]?.pos}`, `${pos}`] : undefined;
  }
  if (row.block.pos === pos) return [`${pos}`];
  for (const inner of rowsOf(row.inner)) {
    const around = foldsAround(inner, pos);
    if (around) return [`${row.block.pos}`, ...around];
  }
  return undefined;
}
