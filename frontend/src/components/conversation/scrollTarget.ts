// The block a person asked to scroll to.
//
// Lives here: the request, and what must be expanded to show the block. Lives elsewhere: scrolling
// (Conversation.tsx).
import { createSignal } from "solid-js";

import { rowsOf, type Row } from "./rows";

interface ScrollTarget {
  readonly chat: string;
  readonly pos: number;
}

const [target, setTarget] = createSignal<ScrollTarget | undefined>(undefined, { equals: false });

/** Scroll to a tool call by its position. */
export function scrollToBlock(chat: string, pos: number): void {
  setTarget({ chat, pos });
}

/** The call to scroll to, if one was just requested; reactive. */
export function takeScrollTarget(chat: string): number | undefined {
  const wanted = target();
  if (wanted?.chat !== chat) return undefined;
  // A conversation drawn later must not scroll there again.
  queueMicrotask(() => target() === wanted && setTarget(undefined));
  return wanted.pos;
}

/** The row that shows a block. */
export function rowWith(rows: readonly Row[], pos: number): Row | undefined {
  return rows.find((row) => foldsAround(row, pos) !== undefined);
}

/** The names of everything that must be expanded, outermost first; undefined if it is not in this row. */
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
