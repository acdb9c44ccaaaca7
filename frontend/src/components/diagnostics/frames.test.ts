import { describe, expect, test } from "vitest";

import type { FrameInfo } from "../../state";
import { chosen, size, treeOf } from "./frames";

const frame = (more: Partial<FrameInfo>): FrameInfo => ({ offset: 1, at: 1, way: "to-agent", kind: "request", method: "session/prompt", id: "3", bytes: 10, is_error: false, text: "{}", ...more });

describe("the protocol log (R130)", () => {
  const frames = [frame({}), frame({ way: "from-agent", kind: "response", is_error: true, text: "-32000" }), frame({ way: "keeper", kind: "note", method: "process ended" })];

  test("is filtered by direction; notes of the background process belong to both", () => {
    expect(chosen(frames, "all", "")).toEqual(frames);
    expect(chosen(frames, "to-agent", "")).toEqual([frames[0], frames[2]]);
    expect(chosen(frames, "from-agent", "")).toEqual([frames[1], frames[2]]);
  });

  test("is filtered by all words, whatever their case", () => {
    expect(chosen(frames, "all", "PROMPT response")).toEqual([frames[1]]);
    expect(chosen(frames, "all", "-32000")).toEqual([frames[1]]);
    expect(chosen(frames, "all", "nothing")).toEqual([]);
  });

  test("sizes are readable", () => {
    expect([820, 12_400, 3_400_000].map(size)).toEqual(["820 B", "12 kB", "3.4 MB"]);
  });

  test("processes are a tree, even if they name each other as parents", () => {
    const tree = treeOf([{ pid: 3, parent: 2 }, { pid: 1, parent: 0 }, { pid: 2, parent: 1 }, { pid: 8, parent: 9 }, { pid: 9, parent: 8 }]);
    expect(tree.map((one) => [one.process.pid, one.depth])).toEqual([[1, 0], [2, 1], [3, 2], [8, 0], [9, 1]]);
  });
});
