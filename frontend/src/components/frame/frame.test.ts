import { createRoot } from "solid-js";
import { describe, expect, test } from "vitest";

import type { ChatInfo } from "../../state";
import { ago, clock, duration } from "../when";
import { within } from "../paths";
import { attentionGroups } from "./list/attention";
import { matching, type Entry } from "./palette/paletteEntries";
import { onSwipe } from "./input/swipe";

const chat = (id: string, status: ChatInfo["status"], last_seq = 5) => ({ id, status, last_seq }) as ChatInfo;

describe("chats by attention", () => {
  test("chats that need you come first, and empty groups are left out", () => {
    const groups = attentionGroups([chat("a", "ready"), chat("b", "working"), chat("c", "needs-you"), chat("d", "failed")], () => 0);
    expect(groups.map((group) => [group.attention, group.chats.length])).toEqual([
      ["needs-you", 1],
      ["working", 1],
      ["ready", 1],
      ["failed", 1],
    ]);
  });

  test("a chat that was seen needs no attention, unless it needs you or is working", () => {
    const groups = attentionGroups([chat("a", "ready"), chat("b", "failed"), chat("c", "needs-you"), chat("n", "new")], () => 5);
    expect(groups.map((group) => [group.attention, group.chats.map((one) => one.id)])).toEqual([
      ["needs-you", ["c"]],
      ["earlier", ["a", "b", "n"]],
    ]);
  });
});

test.each([
  [":scope > p", true],
  ["dialog p", false],
  [".dock p", false],
])("a swipe over %s switches to another chat: %s", (where, isOurs) => {
  const main = document.createElement("main");
  for (const [tag, name] of [["p", ""], ["dialog", ""], ["section", "dock"]] as const) {
    const part = document.createElement(tag);
    part.className = name;
    part.append(document.createElement("p"));
    main.append(part);
  }
  const went: number[] = [];
  createRoot((end) => {
    onSwipe(main, (step) => went.push(step));
    const target = main.querySelector(where)!;
    const touch = (kind: string, clientX: number) => {
      const touches = [{ clientX, clientY: 300 }];
      target.dispatchEvent(Object.assign(new Event(kind, { bubbles: true }), { touches, changedTouches: touches }));
    };
    touch("touchstart", 400);
    touch("touchend", 200);
    end();
  });
  expect(went).toEqual(isOurs ? [1] : []);
});

test("the palette matches every word, prefix matches first", () => {
  const entries = ["Fix the login", "Login page", "New chat"].map((name) => ({ name, note: "shop" }) as Entry);
  const found = (typed: string) => matching(entries, typed).map((entry) => entry.name);
  expect(found("login")).toEqual(["Login page", "Fix the login"]);
  expect(found("SHOP fix")).toEqual(["Fix the login"]);
  expect(found("")).toHaveLength(3);
  expect(found("nothing")).toEqual([]);
});

test.each([
  [0, "0.1 s"],
  [0.42, "0.4 s"],
  [3, "3 s"],
  [12.9, "12 s"],
  [60, "1 min"],
  [185, "3 min 5 s"],
  [7800, "2 h 10 min"],
  [-5, "0.1 s"],
])("%f seconds are %s", (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});

test("times are as short as possible", () => {
  const now = new Date(2026, 5, 15, 12, 0).getTime() / 1000;
  expect([5, 300, 7200, 200_000].map((before) => ago(now - before, now))).toEqual(["now", "5 min", "2 h", "2 d"]);
  expect(clock(now - 60, now)).toBe("11:59");
  expect(clock(now - 86_400, now)).toContain("14");
});

test("paths are relative to the workspace", () => {
  expect(within("/home/ada/shop", "/home/ada/shop/a/b.py")).toBe("a/b.py");
  expect(within("/home/ada/shop/", "/home/ada/shopping/b.py")).toBe("/home/ada/shopping/b.py");
  expect(within(undefined, "/x")).toBe("/x");
});
