// How far a person has seen each chat, in this browser.

import { createSignal, type Accessor } from "solid-js";

import { recall, remember } from "../../../state";

/** Writing is slow, and while an agent streams there is something new in every frame. */
const WRITE_MS = 1_000;

const unwritten = new Map<string, number>();
let writing: ReturnType<typeof setTimeout> | undefined;
addEventListener("pagehide", write);

const known = new Map<string, [Accessor<number>, (seq: number) => void]>();

/** The number of the last event shown to the person; reactive. */
export function seenUpTo(chat: string): number {
  return entry(chat)[0]();
}

export function markSeen(chat: string, seq: number): void {
  const [seen, setSeen] = entry(chat);
  if (seq <= seen()) return;
  setSeen(seq);
  unwritten.set(chat, seq);
  writing ??= setTimeout(write, WRITE_MS);
}

function write(): void {
  clearTimeout(writing);
  writing = undefined;
  for (const [chat, seq] of unwritten) remember(`seen.${chat}`, String(seq));
  unwritten.clear();
}

function entry(chat: string): [Accessor<number>, (seq: number) => void] {
  let kept = known.get(chat);
  if (!kept) {
    const [seen, setSeen] = createSignal(Number(recall(`seen.${chat}`) ?? 0) || 0);
    kept = [seen, (seq: number) => void setSeen(seq)];
    known.set(chat, kept);
  }
  return kept;
}
