import { createRoot } from "solid-js";
import { expect, test } from "vitest";

import type { AgentOption } from "../../../state";
import { createOptimisticOptions } from "./optimisticOptions";

const MODE = { id: "mode", name: "Mode", category: "mode", type: "select", current: "ask", choices: [], via: "mode" } as AgentOption;
const current = (options: ReturnType<typeof createOptimisticOptions>) => options.seen([MODE])[0]!.current;

test("a choice is shown immediately, and reverted if it is refused", async () => {
  const options = createRoot(() => createOptimisticOptions());
  let refuse!: (error: Error) => void;
  const choosing = options.choose("mode", "plan", () => new Promise((_, no) => (refuse = no)));
  expect(current(options)).toBe("plan");
  refuse(new Error("The agent is not running."));
  await expect(choosing).rejects.toThrow("not running");
  expect(current(options)).toBe("ask");
});

test("a later choice stays if an earlier one is refused", async () => {
  const options = createRoot(() => createOptimisticOptions());
  let refuse!: (error: Error) => void;
  const first = options.choose("mode", "plan", () => new Promise((_, no) => (refuse = no)));
  void options.choose("mode", "edits", () => new Promise(() => undefined));
  refuse(new Error("no"));
  await expect(first).rejects.toThrow("no");
  expect(current(options)).toBe("edits");
});
