import { expect, test } from "vitest";

import type { Block } from "../../state";
import { foldsAround, scrollToBlock, rowWith, takeScrollTarget } from "./scrollTarget";
import { rowsOf } from "./rows";

const tool = (pos: number, more: object = {}) =>
  ({ pos, at: pos, kind: "tool", id: `c${pos}`, turn: "t", title: "", tool_kind: "edit", status: "completed", locations: [], content: [], ...more }) as unknown as Block;
const text = (pos: number, more: object = {}) => ({ pos, at: pos, kind: "text", message_id: `m${pos}`, text: "x", turn: "t", ...more }) as unknown as Block;

const around = (blocks: Block[], pos: number) => {
  const row = rowWith(rowsOf(blocks), pos);
  return row && foldsAround(row, pos);
};

test("a single call, one in a group, one of a delegated agent: each with everything around it", () => {
  expect(around([text(1), tool(2), text(3)], 2)).toEqual(["2"]);
  expect(around([text(1), tool(2), tool(3), tool(4)], 3)).toEqual(["group:2", "3"]);
  const inside = { tool_call_id: "c5" };
  const blocks = [text(1), tool(5, { name: "copilot_agent" }), tool(6, inside), tool(7, inside), text(8, inside), tool(9, inside)];
  expect(around(blocks, 7)).toEqual(["5", "group:6", "7"]);
  expect(around(blocks, 9)).toEqual(["5", "9"]);
  expect(around(blocks, 10)).toBeUndefined();
});

test("a request is for one chat, and is used once", async () => {
  scrollToBlock("a", 3);
  expect([takeScrollTarget("b"), takeScrollTarget("a")]).toEqual([undefined, 3]);
  await Promise.resolve();
  expect(takeScrollTarget("a")).toBeUndefined();
});
