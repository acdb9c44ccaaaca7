import { createRoot } from "solid-js";
import { afterEach, beforeEach, expect, test } from "vitest";

import { draft } from "../../../state";
import { fakeLarge } from "../../../state/stored/indexedDb.fake";
import { createPastedText } from "./pastedText";

const kept = draft("pasted");
const settled = () => new Promise((resolve) => setTimeout(resolve));
const brought = (text: string, html = "") => ({ getData: (type: string) => ({ "text/plain": text, "text/html": html })[type] ?? "" });
const LONG = "first line\r\nsecond $& line\r\nthird line";

beforeEach(() => {
  localStorage.clear();
  fakeLarge();
});

afterEach(() => kept.clear());

test("text with a source becomes a quote, other text stays text", async () => {
  const pasted = createRoot(() => createPastedText(() => kept));
  expect(pasted.take(brought("words", "<base href='https://example.com/c'>"))).toBe(true);
  expect(pasted.take(brought("words", "<p>words"))).toBe(false);
  await settled();
  expect(kept.attachments).toEqual([{ type: "quote", text: "words", source: "https://example.com/c" }]);
  expect(pasted.offer()).toBe("");
});

test("long text can be made a quote, which takes it out of the field", async () => {
  const pasted = createRoot(() => createPastedText(() => kept));
  expect(pasted.take(brought(LONG))).toBe(false);
  kept.set("Explain: first line\nsecond $& line\nthird line please");
  expect(pasted.offer()).toContain("second");
  pasted.accept();
  await settled();
  expect(kept.text).toBe("Explain:  please");
  expect(kept.attachments).toEqual([{ type: "quote", text: "first line\nsecond $& line\nthird line", source: "" }]);
  expect(pasted.offer()).toBe("");
});

test("the offer ends when it is dismissed, or the text is changed or sent", () => {
  const pasted = createRoot(() => createPastedText(() => kept));
  pasted.take(brought(LONG));
  kept.set(LONG.replaceAll("\r", ""));
  pasted.dismiss();
  expect(pasted.offer()).toBe("");
  pasted.take(brought(LONG));
  kept.set("first line\nsecond line");
  expect(pasted.offer()).toBe("");
  kept.set("");
  pasted.accept();
  expect(kept.attachments).toEqual([]);
});
