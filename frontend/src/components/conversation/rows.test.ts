import { describe, expect, test } from "vitest";

import type { Block } from "../../state";
import { summaryOf } from "../tool/summary";
import { rowsOf, type Activity, type Row } from "./rows";

let pos = 0;
function block(fields: object): Block {
  pos += 1;
  return { pos, at: pos, turn: "t1", ...fields } as Block;
}
const call = (tool_kind: string, more: object = {}) =>
  block({ kind: "tool", id: `c${pos}`, title: tool_kind, tool_kind, status: "completed", locations: [], content: [], ...more });
const text = () => block({ kind: "text", message_id: `m${pos}`, text: "words" });
const thought = (words = "hm") => block({ kind: "thought", message_id: `t${pos}`, text: words });
const shape = (rows: readonly Row[]) =>
  rows.map((row) => (row.kind === "group" ? row.blocks.length : row.kind === "delegated" ? "delegated" : row.block.kind));

describe("rows", () => {
  test("consecutive finished calls are grouped, text never is", () => {
    expect(shape(rowsOf([call("read"), call("read"), text(), call("execute"), text(), text()]))).toEqual([
      2,
      "text",
      "tool",
      "text",
      "text",
    ]);
  });

  test("changes are separate from reads", () => {
    expect(shape(rowsOf([call("read"), call("search"), call("edit"), call("delete"), call("execute")]))).toEqual([2, 2, "tool"]);
  });

  test("a running call has its own row", () => {
    expect(shape(rowsOf([call("read"), call("read"), call("execute", { status: "in_progress" })]))).toEqual([2, "tool"]);
  });

  test("a terminal is shown in the call that names it, or alone", () => {
    const terminal = (terminal_id: string) => block({ kind: "terminal", terminal_id, text: "" });
    const shows = call("execute", { content: [{ type: "terminal", terminalId: "k-1" }] });
    expect(shape(rowsOf([terminal("k-1"), shows, terminal("k-2")]))).toEqual(["tool", "terminal"]);
  });

  test("failed and stopped calls have ended too", () => {
    expect(shape(rowsOf([call("read", { status: "failed" }), call("execute", { status: "cancelled" })]))).toEqual([2]);
  });

  test("thoughts between calls join their group, and empty ones are dropped", () => {
    expect(shape(rowsOf([thought(), call("read"), thought(), thought("")]))).toEqual([3]);
    expect(shape(rowsOf([thought("")]))).toEqual([]);
  });

  test("a thought in progress stands alone", () => {
    const blocks = [call("read"), call("read"), thought()];
    expect(shape(rowsOf(blocks, "t1"))).toEqual([2, "thought"]);
    expect(shape(rowsOf(blocks, "t2"))).toEqual([3]);
  });

  test("calls of different turns are not mixed", () => {
    expect(shape(rowsOf([call("read"), call("read", { turn: "t2" })]))).toEqual(["tool", "tool"]);
  });

  test("the work of a delegated agent is inside its call", () => {
    const outer = call("other", { id: "d1", status: "in_progress" });
    const rows = rowsOf([outer, call("read", { tool_call_id: "d1" }), block({ kind: "text", text: "x", tool_call_id: "d1" }), text()]);
    expect(shape(rows)).toEqual(["delegated", "text"]);
    expect(rows[0]).toMatchObject({ inner: [{ kind: "tool" }, { kind: "text" }] });
  });

  test("a block whose call is not loaded has its own row", () => {
    expect(shape(rowsOf([block({ kind: "text", text: "x", tool_call_id: "gone" })]))).toEqual(["text"]);
  });

  test("each row knows when the next thing happened", () => {
    const blocks = [thought(), text(), call("read")];
    expect(rowsOf(blocks).map((row) => row.until)).toEqual([blocks[1]!.at, blocks[2]!.at, undefined]);
  });

  test("unchanged rows stay the same objects", () => {
    const blocks = [text(), call("read"), call("read")];
    const before = rowsOf(blocks);
    const after = rowsOf([...blocks, call("read"), text()], undefined, before);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
    expect(after[1]?.key).toBe(before[1]?.key);
  });
});

describe("summaries", () => {
  const words = (...blocks: Block[]) => summaryOf(blocks as Activity[]).words;
  const at = (path: string) => ({ locations: [{ path }] });

  test("count files by name and commands by number", () => {
    expect(words(call("read", at("/a/x.py")), call("read", at("/a/x.py")), call("read", at("/a/y.py")), call("execute"))).toBe(
      "Read 2 files, ran 1 command",
    );
  });

  test("name every kind", () => {
    expect(words(call("search"), call("fetch"), call("other"), call("think"), call("strange"))).toBe(
      "Searched, fetched 1 page, used 2 tools, thought",
    );
    expect(words(thought(), thought())).toBe("Thought");
  });

  test("report failures and the size of changes", () => {
    const diff = { content: [{ type: "diff", path: "/x", oldText: "a\n", newText: "b\nc\n" }] };
    expect(summaryOf([call("edit", diff), call("edit", { ...diff, status: "failed" })] as Activity[])).toMatchObject({
      failed: 1,
      added: 4,
      removed: 2,
    });
  });
});
