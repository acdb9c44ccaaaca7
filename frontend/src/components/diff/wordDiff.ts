// What changed within a line.
//
// Lives here: pairing removed with added lines, and marking the words that differ. Lives elsewhere: which lines
// changed (lines.ts).
import { edits, type Line } from "./lines";

export interface Span {
  readonly text: string;
  readonly changed: boolean;
}

/** Longer lines are marked as a whole, since minified files have thousands of them. */
const LONGEST_LINE = 600;
/** This many characters are compared word by word; further lines are marked as a whole. */
const MOST_CHARACTERS = 40_000;

/** The spans of each line that has a counterpart, by the line itself. */
export function wordMarks(lines: readonly Line[]): Map<Line, readonly Span[]> {
  const marks = new Map<Line, readonly Span[]>();
  let compared = 0;
  for (const [removed, added] of counterparts(lines)) {
    compared += removed.text.length + added.text.length;
    if (compared > MOST_CHARACTERS) break;
    const spans = changedWords(removed.text, added.text);
    if (spans === null) continue;
    marks.set(removed, spans[0]);
    marks.set(added, spans[1]);
  }
  return marks;
}

/** A run of removed lines followed by a run of added ones, taken in pairs. */
export function counterparts(lines: readonly Line[]): [Line, Line][] {
  const pairs: [Line, Line][] = [];
  let at = 0;
  while (at < lines.length) {
    const removed = runOf(lines, at, "removed");
    const added = runOf(lines, at + removed.length, "added");
    const count = Math.min(removed.length, added.length);
    for (let pair = 0; pair < count; pair += 1) pairs.push([removed[pair]!, added[pair]!]);
    at += Math.max(1, removed.length + added.length);
  }
  return pairs;
}

export function changedWords(before: string, after: string): [Span[], Span[]] | null {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE) return null;
  const old = wordsOf(before);
  const now = wordsOf(after);
  const left: Span[] = [];
  const right: Span[] = [];
  let oldAt = 0;
  let newAt = 0;
  let kept = 0;
  for (const mark of edits(old, now)) {
    if (mark !== "added") extend(left, old[oldAt]!, mark === "removed");
    if (mark !== "removed") extend(right, now[newAt]!, mark === "added");
    if (mark === "same") kept += now[newAt]!.trim().length;
    if (mark !== "added") oldAt += 1;
    if (mark !== "removed") newAt += 1;
  }
  // If almost everything differs, marking single words is only noise.
  const isNoise = kept * 3 < Math.max(before.trim().length, after.trim().length);
  return isNoise ? null : [left, right];
}

function runOf(lines: readonly Line[], from: number, mark: Line["mark"]): Line[] {
  let to = from;
  while (to < lines.length && lines[to]!.mark === mark) to += 1;
  return lines.slice(from, to);
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function extend(spans: Span[], text: string, changed: boolean): void {
  const last = spans.at(-1);
  if (last?.changed === changed) spans[spans.length - 1] = { text: last.text + text, changed };
  else spans.push({ text, changed });
}
