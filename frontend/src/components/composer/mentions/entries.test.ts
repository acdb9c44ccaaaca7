import { expect, test } from "vitest";

import type { FoundFiles, Skill } from "../../../state";
import { commandEntries, fileWords, mentionEntries, skillEntries } from "./entries";

const CHATS = ["Fix the parser", "Write docs", "Parse dates"].map((title, at) => ({ id: `c${at}`, title }));
const FOUND: FoundFiles = {
  files: [
    { path: "src/parse.py", folder: false, changed: true, recent: true },
    { path: "src/parser", folder: true, changed: false, recent: true },
    { path: "README.md", folder: false, changed: false, recent: false },
  ],
  total: 3,
  is_complete: true,
};
const RESULT = (q: string) => ({ found: FOUND, q, problem: "" });
const NONE = { found: undefined, q: "", problem: "No such folder." };
const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  id: name, name, description: "", path: `/s/${name}.md`, source: "workspace", always_active: false, tags: [], bytes: 10, problem: null, ...more,
});
const COMMANDS = ["review", "release", "pre-release"].map((name) => ({ name }));
const names = (entries: readonly { name: string }[]) => entries.map(({ name }) => name);

test("files come first while nothing is typed, then changes and chats", () => {
  expect(names(mentionEntries("", RESULT(""), CHATS))).toEqual(["parse.py", "parser/", "README.md", "Uncommitted changes", "Earlier chats"]);
  expect(names(mentionEntries("", NONE, []))).toEqual(["Uncommitted changes"]);
});

test("what fits the words is offered: changes, files, and a few chats", () => {
  expect(names(mentionEntries("di", NONE, CHATS))).toEqual(["Uncommitted changes"]);
  expect(names(mentionEntries("pars", RESULT("pars"), CHATS))).toEqual(["parse.py", "parser/", "README.md", "Fix the parser", "Parse dates"]);
  expect(names(mentionEntries("ch", NONE, CHATS))).toEqual(["Earlier chats"]);
  expect(names(mentionEntries("chat:", RESULT(""), CHATS))).toEqual(names(CHATS.map(({ title }) => ({ name: title }))));
  expect(names(mentionEntries("chat:docs", RESULT(""), CHATS))).toEqual(["Write docs"]);
  expect([fileWords("chat:docs"), fileWords("src/a.py:10-20"), fileWords("")]).toEqual([undefined, "src/a.py", ""]);
});

test("before the first result there is nothing, and an earlier result shows only what still fits", () => {
  expect(mentionEntries("", { found: undefined, q: "", problem: "" }, CHATS)).toEqual([]);
  expect(names(mentionEntries("srpy", RESULT(""), []))).toEqual(["parse.py"]);
  expect(names(mentionEntries("READ:3", RESULT(""), []))).toEqual(["README.md:3"]);
  expect(names(mentionEntries("xyz", RESULT("xyz"), []))).toEqual(["parse.py", "parser/", "README.md"]);
});

test("the lines that were typed belong to a file, not to a folder", () => {
  const [file, folder] = mentionEntries("parse:3-9", RESULT("parse"), []);
  expect(file).toMatchObject({ name: "parse.py:3-9", note: "src", marks: ["changed"] });
  expect(file!.choice).toEqual({ act: "attach", attachment: { type: "file", path: "src/parse.py", lines: [3, 9] }, words: "@src/parse.py:3-9" });
  expect(folder).toMatchObject({ name: "parser/", marks: ["recent"] });
  expect(folder!.choice).toEqual({ act: "attach", attachment: { type: "folder", path: "src/parser" }, words: "@src/parser/" });
});

test("commands come before skills, and names that start with the words before others", () => {
  const skills = [skill("deploy"), skill("ship", { tags: ["release"] }), skill("notes", { description: "For a RELEASE" }), skill("release-notes")];
  expect(names(commandEntries("", COMMANDS, skills))).toEqual(["/review", "/release", "/pre-release", "deploy", "ship", "notes", "release-notes"]);
  expect(names(commandEntries("REL", COMMANDS, skills))).toEqual(["/release", "/pre-release", "release-notes", "ship", "notes"]);
  expect(commandEntries("nothing", COMMANDS, skills)).toEqual([]);
});

test("a command is put into the text, a skill becomes a chip and leaves no words", () => {
  const [command, chosen] = commandEntries("re", [{ name: "review" }], [skill("re", { always_active: true })]);
  expect(command!.choice).toEqual({ act: "insert", words: "/review" });
  expect(chosen!.choice).toEqual({ act: "attach", attachment: { type: "skill", id: "re", name: "re" }, words: "" });
  expect(chosen!.marks).toEqual(["skill", "always sent"]);
});

test("of 10,000 skills a few are offered", () => {
  const many = Array.from({ length: 10_000 }, (_, at) => skill(`skill-${at}`));
  expect(skillEntries("", many).length).toBe(20);
  expect(names(skillEntries("9999", many))).toEqual(["skill-9999"]);
});
