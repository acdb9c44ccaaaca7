import { expect, test } from "vitest";

import type { AgentInfo } from "../../state";
import { canRestore, mayForget, mayFork, mayList } from "./abilities";

const agent = (capabilities: Record<string, unknown> | null, found: string | null = "/bin/agent") =>
  ({ found, tcp: "", seen: capabilities && { capabilities, can: [], at: 0, name: null, version: null } }) as unknown as AgentInfo;

test("an installed agent that was never started may support anything", () => {
  expect(mayList(agent(null))).toBe(true);
  expect(mayList(agent(null, null))).toBe(false);
  expect(canRestore(agent(null))).toBeUndefined();
});

test("an empty object means yes; null, false and absence mean no", () => {
  expect(mayList(agent({ loadSession: true, sessionCapabilities: { list: {} } }))).toBe(true);
  for (const list of [null, false, undefined]) {
    expect(mayList(agent({ loadSession: true, sessionCapabilities: { list } }))).toBe(false);
  }
  expect(canRestore(agent({}))).toBe(false);
  expect(canRestore(agent({ sessionCapabilities: { resume: {} } }))).toBe(true);
});

test("sessions are listed only if they can be opened", () => {
  expect(mayList(agent({ sessionCapabilities: { list: {} } }))).toBe(false);
});

test("forking and deleting are offered separately, and tried if nothing is known", () => {
  expect([mayFork(agent(null)), mayForget(agent(null))]).toEqual([true, true]);
  expect([mayFork(agent({})), mayForget(agent({}))]).toEqual([false, false]);
  expect([mayFork(agent({ sessionCapabilities: { fork: {} } })), mayForget(agent({ sessionCapabilities: { fork: {} } }))]).toEqual([
    true,
    false,
  ]);
  expect(mayForget(agent({ sessionCapabilities: { delete: {} } }))).toBe(true);
});
