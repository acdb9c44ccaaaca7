import { describe, expect, test } from "vitest";

import { diffLines, edits, hunksOf, splitLines, type Line } from "./lines";
import { pairsOf } from "./pairs";
import { changedWords, wordMarks } from "./wordDiff";

const SIGNS = { same: " ", added: "+", removed: "-" };
const drawn = (lines: readonly Line[]) => lines.map((line) => SIGNS[line.mark] + line.text);

/** Small pseudo-random numbers that are the same every time. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

describe("lines", () => {
  test("an edit in the middle", () => {
    const { lines, added, removed } = diffLines("a\nb\nc\n", "a\nB\nc\n");
    expect(drawn(lines)).toEqual([" a", "-b", "+B", " c"]);
    expect([added, removed]).toEqual([1, 1]);
  });

  test("numbers count each side by itself", () => {
    const { lines } = diffLines("a\nb\n", "x\na\nb\n");
    expect(lines.map((line) => [line.before, line.after])).toEqual([
      [null, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  test("a new file is all added, an emptied one all removed, an unchanged one neither", () => {
    expect(drawn(diffLines("", "a\nb").lines)).toEqual(["+a", "+b"]);
    expect(drawn(diffLines("a\nb\n", "").lines)).toEqual(["-a", "-b"]);
    expect(diffLines("a\n", "a\n")).toMatchObject({ added: 0, removed: 0 });
    expect(diffLines("", "").lines).toEqual([]);
  });

  test("other line endings and a missing last newline are not a change", () => {
    expect(diffLines("a\r\nb\r\n", "a\nb")).toMatchObject({ added: 0, removed: 0 });
    expect(splitLines("a\n\n")).toEqual(["a", ""]);
  });

  test("removed lines come before added ones", () => {
    expect(drawn(diffLines("a\nb\nc\nd", "A\nB\nc\nD").lines)).toEqual(["-a", "-b", "+A", "+B", " c", "-d", "+D"]);
  });

  test("both sides can be reconstructed from any diff, and it is never longer than necessary", () => {
    const roll = dice(7);
    for (let round = 0; round < 300; round += 1) {
      const text = () => Array.from({ length: roll(12) }, () => "abcd"[roll(4)]!);
      const [old, now] = [text(), text()];
      const { lines } = diffLines(old.join("\n"), now.join("\n"));
      expect(lines.filter((line) => line.mark !== "added").map((line) => line.text)).toEqual(splitLines(old.join("\n")));
      expect(lines.filter((line) => line.mark !== "removed").map((line) => line.text)).toEqual(splitLines(now.join("\n")));
      expect(edits(old, now).filter((mark) => mark !== "same")).toHaveLength(distance(old, now));
    }
  });

  test("files with nothing in common are replaced as a whole, and quickly", () => {
    const old = Array.from({ length: 20_000 }, (_, n) => `old ${n}`).join("\n");
    const now = Array.from({ length: 20_000 }, (_, n) => `new ${n}`).join("\n");
    const began = performance.now();
    expect(diffLines(old, now)).toMatchObject({ added: 20_000, removed: 20_000 });
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

describe("hunks", () => {
  const numbers = Array.from({ length: 40 }, (_, n) => String(n + 1));

  test("show some lines around each change and hide the rest", () => {
    const after = numbers.with(19, "twenty");
    const hunks = hunksOf(diffLines(numbers.join("\n"), after.join("\n")).lines);
    expect(hunks.map((hunk) => [hunk.skipped.length, hunk.lines.length])).toEqual([
      [16, 8],
      [17, 0],
    ]);
  });

  test("nearby changes share a hunk, and a single hidden line is shown", () => {
    const near = numbers.with(9, "x").with(16, "y");
    const hunks = hunksOf(diffLines(numbers.join("\n"), near.join("\n")).lines);
    expect(hunks[0]!.lines.length + hunks[1]!.lines.length + hunks[1]!.skipped.length).toBeGreaterThan(0);
    expect(hunks.flatMap((hunk) => [...hunk.skipped, ...hunk.lines])).toHaveLength(42);
    expect(hunks.every((hunk) => hunk.skipped.length !== 1)).toBe(true);
  });
});

describe("words", () => {
  const marked = (spans: readonly { text: string; changed: boolean }[]) =>
    spans.map((span) => (span.changed ? `[${span.text}]` : span.text)).join("");

  test("that differ are marked on both sides", () => {
    const [left, right] = changedWords("return time.time() + 3600", "return clock.now() + 3600")!;
    expect(marked(left)).toBe("return [time].[time]() + 3600");
    expect(marked(right)).toBe("return [clock].[now]() + 3600");
  });

  test("are not marked if almost nothing matches, or lines are very long", () => {
    expect(changedWords("alpha beta gamma", "one two three four")).toBeNull();
    expect(changedWords("a".repeat(5000), "a".repeat(5000))).toBeNull();
  });

  test("are compared in pairs of lines", () => {
    const { lines } = diffLines("const a = 1;\nconst b = 2;\n", "const a = 9;\nconst b = 8;\nnew();\n");
    expect([...wordMarks(lines).keys()].map((line) => line.text)).toEqual([
      "const a = 1;",
      "const a = 9;",
      "const b = 2;",
      "const b = 8;",
    ]);
  });
});

test("two columns keep matching lines side by side", () => {
  const { lines } = diffLines("a\nb\nc\n", "a\nB\nB2\nc\n");
  expect(pairsOf(lines).map((pair) => [pair.left?.text, pair.right?.text])).toEqual([
    ["a", "a"],
    ["b", "B"],
    [undefined, "B2"],
    ["c", "c"],
  ]);
});

/** The minimum number of insertions and deletions, computed the slow way. */
function distance(old: readonly string[], now: readonly string[]): number {
  const table = Array.from({ length: old.length + 1 }, (_, x) => Array.from({ length: now.length + 1 }, (_, y) => (x && y ? 0 : x + y)));
  for (let x = 1; x <= old.length; x += 1) {
    for (let y = 1; y <= now.length; y += 1) {
      const step = Math.min(table[x - 1]![y]!, table[x]![y - 1]!) + 1;
      table[x]![y] = old[x - 1] === now[y - 1] ? Math.min(step, table[x - 1]![y - 1]!) : step;
    }
  }
  return table[old.length]![now.length]!;
}
