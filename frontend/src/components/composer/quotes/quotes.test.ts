import { expect, test } from "vitest";

import { mayBeQuote, quoteIn, sourceIn } from "./quotes";

const brought = (text: string, html = "") => ({ getData: (type: string) => ({ "text/plain": text, "text/html": html })[type] ?? "" });

test.each([
  ["Version:0.9\r\nStartHTML:1\r\nSourceURL:https://docs.example.com/a\r\n<html>x", "https://docs.example.com/a"],
  ["<!-- saved from url=(0023)https://example.com/b --><p>x", "https://example.com/b"],
  ["<base href='https://example.com/c'><p>x", "https://example.com/c"],
  ["<blockquote cite='https://example.com/d'>x</blockquote>", "https://example.com/d"],
  ["<p>x", ""],
  ["", ""],
  ["<base href='javascript:alert(1)'>", ""],
  ["SourceURL:file:///etc/passwd\n<p>x", ""],
  ["<a href='https://example.com'>x</a>", ""],
])("the source in %s", (html, source) => {
  expect(sourceIn(html)).toBe(source);
});

test("text becomes a quote only if its source is known", () => {
  const html = "<base href='https://example.com/c'>";
  expect(quoteIn(brought(" words ", html))).toEqual({ text: "words", source: "https://example.com/c" });
  expect(quoteIn(brought("words", "<p>words"))).toBe(undefined);
  expect(quoteIn(brought("", html))).toBe(undefined);
  expect(quoteIn(brought("https://example.com/c", html))).toBe(undefined);
  expect(quoteIn(brought("x".repeat(100_001), html))).toBe(undefined);
});

test("nothing in the clipboard is run", () => {
  const html = "<img src=x onerror='globalThis.ran = true'><script>globalThis.ran = true</script><base href='https://example.com'>";
  expect(sourceIn(html)).toBe("https://example.com");
  expect((globalThis as { ran?: boolean }).ran).toBe(undefined);
});

test("a few words are not offered as a quote", () => {
  expect([mayBeQuote("a word"), mayBeQuote("a\nb"), mayBeQuote("a\nb\nc"), mayBeQuote("x".repeat(200)), mayBeQuote("x".repeat(200_000))]).toEqual([
    false, false, true, true, false,
  ]);
});
