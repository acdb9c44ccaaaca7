import { describe, expect, test } from "vitest";

import { StreamedMarkdown } from "./streamed";
import { isWild } from "./wild";

const SIZE = 60_000;
const fill = (unit: string) => unit.repeat(Math.ceil(SIZE / unit.length)).slice(0, SIZE);

/** 60 kB each, designed to be slow. */
const PATHOLOGICAL: Record<string, string> = {
  quotes: fill(">"), "quotes with spaces": fill("> "), "quoted lists": fill("> - "), "lists in a line": fill("- "), "mixed lists": fill("* 1. - + "),
  "deep lists": Array.from({ length: 240 }, (_, n) => `${" ".repeat(n * 2)}- a`).join("\n"), "open brackets": fill("["), "open links": fill("[a]("),
  images: fill("!["), "closed brackets": "[".repeat(SIZE / 2) + "]".repeat(SIZE / 2), stars: fill("*"), emphasis: fill("*a **b "), underscores: fill("_a*b"),
  "strong and not": fill("**a*"), strikes: fill("~~a"), ticks: fill("`a``"), markup: fill("<a"), attributes: fill("<a b='"), comments: fill("<!--"),
  processing: fill("<?"), addresses: fill("a@"), "angle links": fill("<http://"), links: fill("[a](b) "), references: `${fill("[a][b]")}\n\n[b]: http://x`,
  definitions: Array.from({ length: 3000 }, (_, n) => `[d${n}]: http://x/${n}`).join("\n"), "definitions in a line": fill("[a]: "), escapes: fill("\\"),
  entities: fill("&a"), "wide table": `${"|a".repeat(9000)}\n${"|-".repeat(9000)}\n${"|a".repeat(9000)}`, "long table": `|a|b|\n|-|-|\n${fill("|*a*|[b](c)|\n")}`,
  "a fence that is none": `<div>\n\`\`\`\n\n${fill("*a **b ")}`, words: fill("word "), lines: fill("a\n"), "flat list": fill("- a\n"), fences: fill("```\n"), headings: fill("# a\n"),
};

describe("60 kB designed to block the page", () => {
  test.each(Object.entries(PATHOLOGICAL))("%s", (_, text) => {
    const began = performance.now();
    new StreamedMarkdown(document.createElement("div")).update(text, true);
    const whole = performance.now() - began;
    // The test document is many times slower than a browser.
    expect(whole).toBeLessThan(3000);
  });
});

test("shown completely as plain text, and formatted if a person asks for it", () => {
  const root = document.createElement("div");
  const drawing = new StreamedMarkdown(root);
  const text = `**bold**\n\n${"*a **b ".repeat(300)}`;
  drawing.update(text.slice(0, 2000), false);
  drawing.update(text, true);
  expect(root.querySelector(".md-plain")?.textContent).toBe(text);
  root.querySelector<HTMLElement>("button")!.click();
  expect(root.querySelector("strong")?.textContent).toBe("bold");
  expect(root.querySelector(".md-plain")).toBeNull();
});

test("ordinary texts are not affected", () => {
  const code = `\`\`\`c\n${"int *a[9] = {*p, &q}; /* <x> */\n".repeat(900)}\`\`\``;
  const table = `|a|b|\n|-|-|\n${"| `x` | **y** [z](https://a.example) |\n".repeat(120)}`;
  const list = `${"- one **two** `three`\n  - four\n    - five\n".repeat(60)}`;
  for (const text of [code, table, list, "> > quoted\n\n* * *\n\n---\n\n=====", `${"Words and **more** words. ".repeat(60)}\n\n`.repeat(20)]) {
    expect([text.slice(0, 30), isWild(text)]).toEqual([text.slice(0, 30), false]);
  }
});
