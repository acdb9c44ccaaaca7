import { expect, test } from "vitest";

import type { SentContext } from "../../../state";
import { sentAlongLine, sentFileName } from "./sentWords";

const NONE: SentContext = { indexed: 0, skills: [], instructions: [], files: [], left_out: [] };
const file = { path: "a.py", how: "embedded", bytes: 10 } as const;
const skill = { id: "s", name: "s", path: "/s.md", why: "chosen" } as const;

test.each<[Partial<SentContext>, string]>([
  [{}, ""],
  [{ files: [file] }, "Sent with 1 file"],
  [{ files: [file, file, file], skills: [skill, skill] }, "Sent with 3 files, 2 skills"],
  [{ indexed: 12 }, "Sent with a list of 12 skills"],
  [{ files: [file], instructions: ["AGENTS.md"], indexed: 1 }, "Sent with 1 file, instructions"],
  [{ skills: [skill], left_out: [{ what: "b.py", why: "too large" }] }, "Sent with 1 skill · 1 left out"],
  [{ left_out: [{ what: "b.py", why: "gone" }, { what: "c.py", why: "gone" }] }, "2 left out"],
])("%o", (sent, line) => {
  expect(sentAlongLine({ ...NONE, ...sent })).toBe(line);
});

test("a file is named as in the workspace, a part of it with its lines, an uploaded one by its name", () => {
  const name = (path: string, lines?: number[]) => sentFileName({ ...file, path, ...(lines && { lines }) }, "/w");
  expect([name("a.py"), name("/w/src/a.py"), name("/data/uploads/1f/a.py")]).toEqual(["a.py", "src/a.py", "a.py"]);
  expect([name("a.py", [10, 20]), name("/w/a.py", [7, 7])]).toEqual(["a.py:10-20", "a.py:7"]);
});
