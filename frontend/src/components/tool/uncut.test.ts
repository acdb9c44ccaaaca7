import { expect, test } from "vitest";

import type { ToolContent } from "../../state";
import { contentWith } from "./uncut";

const text = (text: string): ToolContent => ({ type: "content", content: { type: "text", text } });
const diff = (path: string, newText: string, cut?: boolean): ToolContent => ({
  type: "diff",
  path,
  newText,
  ...(cut ? { cut } : {}),
});

test("what is loaded takes the place of its preview alone", () => {
  const [a, b] = [diff("/a", "whole a"), diff("/b", "b")];
  expect(contentWith([diff("/a", "wh", true), b], [a])).toEqual([a, b]);
  expect(contentWith([text("lo…"), b], [text("long")])).toEqual([text("long"), b]);
});

test("contents that came after the event that is loaded stay", () => {
  const a = diff("/a", "whole a");
  const odd: ToolContent = { note: "of no known shape" };
  expect(contentWith([text("Written."), odd, diff("/a", "wh", true)], [a])).toEqual([text("Written."), odd, a]);
  expect(contentWith([text("Written."), diff("/a", "wh", true)], [text("Writing."), a])).toEqual([text("Written."), a]);
});
