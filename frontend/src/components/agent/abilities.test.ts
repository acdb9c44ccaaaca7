import { expect, test } from "vitest";

import type { AgentInfo } from "../../state";
import { canRestore, mayForget, mayFork, mayList } from "./abilities";

const agent = (capabilities: Record<string, unknown> | null, found: string | null = "/bin/agent") =>
  ({ found, tcp: "", seen: capabilities && { capabilities, can: [], at: 0, name: null, version: null } }) as unknown as AgentInfo;

test("an agent that was never asked may have anything, if it is there", () => {
  expect(mayList(agent(null))).toBe(true);
  expect(mayList(agent(null, null))).toBe(false);
  expect(canRestore(agent(null))).toBeUndefined();
});

test("an empty object says yes; null, false and absence say no", () => {
  expect(mayList(agent({ loadSession: true, sessionCapabilities: { list: {} } }))).toBe(true);
  for (const list of [null, false, undefined]) {
    expect(mayList(agent({ loadSession: true, sessionCapabilities: { list } }))).toBe(false);
  }
  expect(canRestore(agent({}))).toBe(false);
  expect(canRestore(agent({ sessionCapabilities: { resume: {} } }))).toBe(true);
});

test("a list of sessions that cannot be opened is of no use", () => {
  expect(mayList(agent({ sessionCapabilities: { list: {} } }))).toBe(false);
});

test("copying and forgetting are offered each for itself, and tried where nothing is known", () => {
  expect([mayFork(agent(null)), mayForget(agent(null))]).toEqual([true, true]);
  expect([mayFork(agent({})), mayForget(agent({}))]).toEqual([false, false]);
  expect([mayFork(agent({ sessionCapabilities: { fork: {} } })), mayForget(agent({ sessionCapabilities: { fork: {} } }))]).toEqual([
    true,
    false,
  ]);
  expect(mayForget(agent({ sessionCapabilities: { delete: {} } }))).toBe(true);
});
