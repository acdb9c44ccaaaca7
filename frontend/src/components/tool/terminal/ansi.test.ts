import { describe, expect, test } from "vitest";

import { TERMINAL_ATTACKS } from "../../../markdown/attacks.fixture";
import { parseAnsi, withoutAnsi } from "./ansi";

const ESC = "\u001b";

test("plain text is one piece", () => {
  expect(parseAnsi("hello\n\tworld")).toEqual([{ text: "hello\n\tworld", classes: "" }]);
  expect(parseAnsi("")).toEqual([]);
});

describe("colours", () => {
  test("become classes from a fixed set", () => {
    expect(parseAnsi(`a${ESC}[31mb${ESC}[0mc`)).toEqual([
      { text: "a", classes: "" },
      { text: "b", classes: "ansi-fg-red" },
      { text: "c", classes: "" },
    ]);
  });

  test.each([
    ["1;4;92", "ansi-fg-bright-green ansi-bold ansi-underline"],
    ["2;3;9", "ansi-dim ansi-italic ansi-strike"],
    ["41", "ansi-bg-red"],
    ["38;5;196", "ansi-fg-red"],
    ["38;5;9", "ansi-fg-bright-red"],
    ["38;5;244", "ansi-fg-bright-black"],
    ["48;2;0;0;255", "ansi-bg-blue"],
    ["38:2::0:200:0", "ansi-fg-green"],
    ["7", "ansi-fg-default ansi-bg-default"],
    ["31;7", "ansi-fg-default ansi-bg-red"],
    ["", ""],
    ["999", ""],
  ])("%s", (numbers, classes) => {
    expect(parseAnsi(`${ESC}[${numbers}mx`)).toEqual([{ text: "x", classes }]);
  });

  test("are reset one by one", () => {
    const classes = parseAnsi(`${ESC}[1;31;44ma${ESC}[22mb${ESC}[39mc${ESC}[49md`).map((piece) => piece.classes);
    expect(classes).toEqual(["ansi-fg-red ansi-bg-blue ansi-bold", "ansi-fg-red ansi-bg-blue", "ansi-bg-blue", ""]);
  });

  test("work in their eight-bit form too", () => {
    expect(parseAnsi("\u009b32mok")).toEqual([{ text: "ok", classes: "ansi-fg-green" }]);
  });
});

describe("everything else is dropped", () => {
  test.each([
    ["a title", `${ESC}]0;owned\u0007`],
    ["a title ended by ST", `${ESC}]2;owned${ESC}\\`],
    ["a title in eight bits", "\u009d0;owned\u009c"],
    ["a link", `${ESC}]8;;javascript:alert(1)${ESC}\\`],
    ["a clipboard write", `${ESC}]52;c;cm0gLXJmIC8=\u0007`],
    ["a device string", `${ESC}Pq#0;2;0;0;0${ESC}\\`],
    ["an application string", `${ESC}_G payload${ESC}\\`],
    ["a privacy message", `${ESC}^secret${ESC}\\`],
    ["a cursor up", `${ESC}[5A`],
    ["an erased line", `${ESC}[2K`],
    ["an erased screen", `${ESC}[2J${ESC}[H`],
    ["a saved cursor", `${ESC}7${ESC}8`],
    ["the other screen", `${ESC}[?1049h`],
    ["a character set", `${ESC}(0`],
    ["a reset", `${ESC}c`],
    ["colour-like, but private", `${ESC}[?31m${ESC}[>4;2m`],
    ["bells and backspaces", "\u0007\u0008\u007f\u0000"],
    ["lone eight-bit controls", "\u0084\u0085\u008d\u0099"],
  ])("%s", (_name, sequence) => {
    expect(withoutAnsi(`a${sequence}b`)).toBe("ab");
    expect(parseAnsi(`a${sequence}b`).every((piece) => piece.classes === "")).toBe(true);
  });

  test("a sequence cut off at the end", () => {
    for (const cut of [ESC, `${ESC}[`, `${ESC}[3`, `${ESC}]0;tit`, `${ESC}(`]) expect(withoutAnsi(`a${cut}`)).toBe("a");
  });
});

test("a carriage return never overwrites earlier text", () => {
  expect(withoutAnsi("rm -rf /\rls       ")).toBe("rm -rf /\nls       ");
  expect(withoutAnsi("one\r\ntwo\r\n")).toBe("one\ntwo\n");
});

test("hostile escape sequences leave only text and colours", () => {
  const classes = /^(?:ansi-[a-z-]+ ?)*$/;
  for (const attack of TERMINAL_ATTACKS) {
    const pieces = parseAnsi(`before\n${attack}\nafter`);
    const text = pieces.map((piece) => piece.text).join("");
    // eslint-disable-next-line no-control-regex
    expect([attack, /[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(text)]).toEqual([attack, false]);
    expect([attack, text.startsWith("before\n"), text.endsWith("\nafter")]).toEqual([attack, true, true]);
    expect(pieces.every((piece) => classes.test(piece.classes))).toBe(true);
  }
});

test("an unterminated string does not swallow the rest", () => {
  expect(withoutAnsi(`a${ESC}]0;never\nb`)).toBe("a\nb");
  expect(withoutAnsi(`a${ESC}]0;${"x".repeat(10_000)}b`).endsWith("b")).toBe(true);
});

test("ten million characters of escapes are processed in time", () => {
  const began = performance.now();
  expect(withoutAnsi(`${ESC}[31m${ESC}]0;x\u0007`.repeat(900_000))).toBe("");
  expect(performance.now() - began).toBeLessThan(5000);
});
