import { expect, test } from "vitest";

import type { JsonObject, ToolContent } from "../../state";
import { placesOf, uncut } from "./uncut";

const text = (text: string): ToolContent => ({ type: "content", content: { type: "text", text } });
const diff = (path: string, newText: string, more: object = {}): ToolContent => ({ type: "diff", path, newText, ...more });
const kept = (path: string, seq: number, item = 0) => diff(path, "wh", { cut: true, whole_at: { seq, item } });
const told = (...content: ToolContent[]) => ({ content }) as unknown as JsonObject;

const [a, b] = [diff("/a", "whole a"), diff("/b", "whole b")];

test("the event with the complete content replaces it, and nothing else is lost", () => {
  const small = diff("/s", "small");
  const shown = { cut_at: { content: 5 }, content: [text("lo…"), diff("/a", "wh"), small, kept("/b", 3)] };
  const content = [text("long"), a, small, kept("/b", 3)];
  expect(uncut(shown, new Map([[5, told(text("long"), a)]]))).toEqual({ cut_at: {}, content });
});

test("diffs kept from several earlier events are completed from those", () => {
  const shown = { cut_at: { content: 5, input: 2 }, content: [diff("/c", "wh"), kept("/a", 3, 1), kept("/b", 4)] };
  expect(placesOf(shown)).toEqual([5, 2, 3, 4]);
  const events = new Map([
    [2, { input: "whole" }],
    [3, told(text("before"), a)],
    [4, told(b)],
    [5, told(diff("/c", "whole c"))],
  ]);
  const whole = uncut(shown, events);
  expect(whole).toEqual({ cut_at: {}, input: "whole", content: [diff("/c", "whole c"), a, b] });
  expect(placesOf(whole)).toEqual([]);
});

test("content after the loaded events is not hidden by them, and missing content can still be loaded", () => {
  const events = new Map([[3, told(text("before"), a)]]);
  const shown = { content: [diff("/s", "small"), text("Written."), kept("/a", 3, 1), kept("/b", 4)] };
  const whole = uncut(shown, events);
  expect(whole.content).toEqual([diff("/s", "small"), text("Written."), a, kept("/b", 4)]);
  expect(placesOf(whole)).toEqual([4]);
});
