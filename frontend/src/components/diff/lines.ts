// What changed between two texts, line by line.
//
// Lives here: the shortest edit between two lists (Myers), lines with their numbers, and hunks with context.
// Lives elsewhere: marks within a line (wordDiff.ts), drawing (Diff.tsx).

export type Mark = "same" | "added" | "removed";

export interface Line {
  readonly mark: Mark;
  readonly text: string;
  /** Line numbers from one; null where the line does not exist. */
  readonly before: number | null;
  readonly after: number | null;
}

export interface Hunk {
  readonly lines: readonly Line[];
  /** Unchanged lines left out in front of this hunk. */
  readonly skipped: readonly Line[];
}

export interface FileDiff {
  readonly lines: readonly Line[];
  readonly added: number;
  readonly removed: number;
}

/** With more edits than this the changed part is shown as replaced: an exact diff would be too slow. */
const MOST_EDITS = 1500;

/** `from` is the number of the first line of both. */
export function diffLines(before: string, after: string, from = 1): FileDiff {
  const old = splitLines(before);
  const now = splitLines(after);
  const lines: Line[] = [];
  let added = 0;
  let removed = 0;
  let oldAt = 0;
  let newAt = 0;
  for (const mark of edits(old, now)) {
    if (mark === "same") {
      lines.push({ mark, text: now[newAt]!, before: oldAt + from, after: newAt + from });
      oldAt += 1;
      newAt += 1;
    } else if (mark === "removed") {
      lines.push({ mark, text: old[oldAt]!, before: oldAt + from, after: null });
      oldAt += 1;
      removed += 1;
    } else {
      lines.push({ mark, text: now[newAt]!, before: null, after: newAt + from });
      newAt += 1;
      added += 1;
    }
  }
  return { lines, added, removed };
}

/** Unchanged lines shown before and after a change. */
export const CONTEXT = 3;

/** The changes with context lines; the rest after the last hunk is one more, empty hunk. */
export function hunksOf(lines: readonly Line[], context = CONTEXT): Hunk[] {
  if (context === Infinity) return [{ skipped: [], lines }];
  const keep = new Uint8Array(lines.length);
  lines.forEach((line, at) => {
    if (line.mark === "same") return;
    keep.fill(1, Math.max(0, at - context), Math.min(lines.length, at + context + 1));
  });
  const hunks: Hunk[] = [];
  let at = 0;
  while (at < lines.length) {
    const start = at;
    while (at < lines.length && !keep[at]) at += 1;
    // A note about one hidden line takes as much space as the line.
    const hide = at - start > 1 ? at : start;
    const from = at;
    while (at < lines.length && keep[at]) at += 1;
    hunks.push({ skipped: lines.slice(start, hide), lines: lines.slice(hide < from ? hide : from, at) });
  }
  return hunks;
}

export function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split(/\r\n|\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The shortest way from one list to the other, deletions before insertions. */
export function edits<T>(old: readonly T[], now: readonly T[]): Mark[] {
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  ) {
    tail += 1;
  }
  const middle = shortest(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  return [...repeat("same", head), ...middle, ...repeat("same", tail)];
}

function repeat(mark: Mark, times: number): Mark[] {
  return Array.from({ length: times }, () => mark);
}

function shortest<T>(old: readonly T[], now: readonly T[]): Mark[] {
  const trace = furthestReaches(old, now);
  if (trace === null) return [...repeat("removed", old.length), ...repeat("added", now.length)];
  return deletionsFirst(walkBack(trace, old.length, now.length));
}

/** For each number of edits, the furthest point on every diagonal; null if there are too many edits. */
function furthestReaches<T>(old: readonly T[], now: readonly T[]): Int32Array[] | null {
  const most = Math.min(old.length + now.length, MOST_EDITS);
  const offset = most + 1;
  const reach = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let count = 0; count <= most; count += 1) {
    trace.push(reach.slice(offset - count - 1, offset + count + 2));
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      const down = diagonal === -count || (diagonal !== count && at(diagonal - 1) < at(diagonal + 1));
      let x = down ? at(diagonal + 1) : at(diagonal - 1) + 1;
      let y = x - diagonal;
      while (x < old.length && y < now.length && old[x] === now[y]) {
        x += 1;
        y += 1;
      }
      reach[offset + diagonal] = x;
      if (x >= old.length && y >= now.length) return trace;
    }
  }
  return null;

  function at(diagonal: number): number {
    return reach[offset + diagonal]!;
  }
}

function walkBack(trace: Int32Array[], oldLength: number, newLength: number): Mark[] {
  const marks: Mark[] = [];
  let x = oldLength;
  let y = newLength;
  for (let count = trace.length - 1; count >= 0; count -= 1) {
    const reach = trace[count]!;
    const at = (diagonal: number) => reach[diagonal + count + 1]!;
    const diagonal = x - y;
    const down = diagonal === -count || (diagonal !== count && at(diagonal - 1) < at(diagonal + 1));
    const previous = down ? diagonal + 1 : diagonal - 1;
    const fromX = count === 0 ? 0 : at(previous);
    const fromY = count === 0 ? 0 : fromX - previous;
    while (x > fromX && y > fromY) {
      marks.push("same");
      x -= 1;
      y -= 1;
    }
    if (count === 0) break;
    marks.push(down ? "added" : "removed");
    x = fromX;
    y = fromY;
  }
  return marks.reverse();
}

function deletionsFirst(marks: Mark[]): Mark[] {
  const ordered: Mark[] = [];
  let added = 0;
  for (const mark of [...marks, "same" as const]) {
    if (mark === "added") {
      added += 1;
      continue;
    }
    if (mark === "same") {
      ordered.push(...repeat("added", added));
      added = 0;
    }
    ordered.push(mark);
  }
  ordered.pop();
  return ordered;
}
