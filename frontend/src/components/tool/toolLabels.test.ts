import { describe, expect, test } from "vitest";

import type { Json, ToolBlock } from "../../state";
import { changeOf, commandOf, exitCodeOf, outputText, reasonOf, subjectOf, verbOf } from "./toolLabels";

const call = (fields: Partial<ToolBlock>) =>
  ({ title: "", tool_kind: "other", status: "completed", locations: [], content: [], ...fields }) as ToolBlock;

describe("the description of a call", () => {
  test.each([
    ["edit", "pending", "Edit"],
    ["edit", "in_progress", "Editing"],
    ["edit", "completed", "Edited"],
    ["edit", "failed", "Edit"],
    ["execute", "failed", "Ran"],
    ["execute", "cancelled", "Ran"],
    ["switch_mode", "completed", "Switched mode"],
    ["strange", "completed", ""],
    ["read", "some new word", "Reading"],
  ])("%s, %s: %s", (tool_kind, status, verb) => {
    expect(verbOf({ tool_kind, status })).toBe(verb);
  });

  test("names a path, a command, or the agent's title", () => {
    expect(subjectOf(call({ tool_kind: "read", title: "Reading", locations: [{ path: "/w/a.py" }] }), "/w")).toBe("a.py");
    expect(subjectOf(call({ tool_kind: "edit", title: "write", input: { filePath: "/w/b.py" } }), "/w")).toBe("b.py");
    expect(subjectOf(call({ tool_kind: "execute", title: "Terminal", input: { command: "ls" } }))).toBe("ls");
    expect(subjectOf(call({ tool_kind: "read", title: "Viewing something" }))).toBe("something");
    expect(subjectOf(call({ title: "todo_write" }))).toBe("todo_write");
    expect(subjectOf(call({ tool_kind: "fetch" }))).toBe("fetch");
  });
});

test("a command is shown exactly, in whatever form it is given", () => {
  expect(commandOf({ input: { command: "a | b" } })).toBe("a | b");
  expect(commandOf({ input: { cmd: "x" } })).toBe("x");
  expect(commandOf({ input: { command: ["bash", "-lc", "echo 'a b'; ls"] } })).toBe(`bash -lc 'echo '\\''a b'\\''; ls'`);
  const others: (Json | undefined)[] = [null, undefined, "x", [], {}, { command: 3 }, { command: [1] }];
  for (const input of others) expect(commandOf({ input })).toBeNull();
});

test("exit status, reason and output are found wherever agents put them", () => {
  expect(exitCodeOf({ output: { metadata: { exit: 3 } } })).toBe(3);
  expect(exitCodeOf({ output: { contents: [{ type: "shell_exit", exitCode: 2 }] } })).toBe(2);
  expect(exitCodeOf({ output: "3" })).toBeNull();
  const said = (text: string) => ({ type: "content" as const, content: { type: "text", text } });
  expect(reasonOf(call({ output: { message: "Denied" } }))).toBe("Denied");
  expect(reasonOf(call({ content: [said("```\nNo such file\nmore\n```")] }))).toBe("No such file");
  expect(reasonOf(call({ content: [said("```\n<tool_use_error>Not found.</tool_use_error>\n```")] }))).toBe("Not found.");
  expect(reasonOf(call({ tool_kind: "execute", content: [said("```console\nrunning\n\u001b[31mFAILED\u001b[0m\n```")] }))).toBe("FAILED");
  expect(reasonOf(call({ tool_kind: "execute", output: { exitCode: 2 }, content: [said("x")] }))).toBe("Exit status 2");
  expect(reasonOf(call({}))).toBeNull();
  expect(outputText({ stdout: "out" })).toBe("out");
});

test("changes are counted over all diffs of a call", () => {
  const diff = { type: "diff" as const, path: "/a", oldText: null, newText: "1\n2\n" };
  expect(changeOf({ content: [diff, { ...diff }] })).toEqual({ added: 4, removed: 0 });
  expect(changeOf({ content: [] })).toBeNull();
});
