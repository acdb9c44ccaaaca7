import { createRoot } from "solid-js";
import { expect, test } from "vitest";

import type { AgentOption } from "../../state";
import { createWishes } from "./wishes";

const MODE = { id: "mode", name: "Mode", category: "mode", type: "select", current: "ask", choices: [], via: "mode" } as AgentOption;
const current = (wishes: ReturnType<typeof createWishes>) => wishes.seen([MODE])[0]!.current;

test("a choice is seen at once, and taken back when it is refused", async () => {
  const wishes = createRoot(() => createWishes());
  let refuse!: (error: Error) => void;
  const choosing = wishes.choose("mode", "plan", () => new Promise((_, no) => (refuse = no)));
  expect(current(wishes)).toBe("plan");
  refuse(new Error("The agent is not running now."));
  await expect(choosing).rejects.toThrow("not running");
  expect(current(wishes)).toBe("ask");
});

test("a later choice stays when an earlier one is refused", async () => {
  const wishes = createRoot(() => createWishes());
  let refuse!: (error: Error) => void;
  const first = wishes.choose("mode", "plan", () => new Promise((_, no) => (refuse = no)));
  void wishes.choose("mode", "edits", () => new Promise(() => undefined));
  refuse(new Error("no"));
  await expect(first).rejects.toThrow("no");
  expect(current(wishes)).toBe("edits");
});
