// Lines side by side: before and after.

import type { Line } from "./lines";

export interface Pair {
  readonly left: Line | null;
  readonly right: Line | null;
}

export function pairsOf(lines: readonly Line[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: Line[] = [];
  let added: Line[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      pairs.push({ left: removed[at] ?? null, right: added[at] ?? null });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.mark === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.mark === "added") {
      added.push(line);
    } else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}
