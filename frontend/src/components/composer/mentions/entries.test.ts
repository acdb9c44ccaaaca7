import { expect, test } from "vitest";

import type { Skill } from "../../../state";
import { commandEntries, mentionEntries, skillEntries } from "./entries";

const CHATS = ["Fix the parser", "Write docs", "Parse dates"].map((title, at) => ({ id: `c${at}`, title }));
const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  id: name, name, description: "", path: `/s/${name}.md`, source: "workspace", always_active: false, tags: [], bytes: 10, problem: null, ...more,
});
const COMMANDS = ["review", "release", "pre-release"].map((name) => ({ name }));
const names = (entries: readonly { name: string }[]) => entries.map(({ name }) => name);

test("changes and chats are offered, and those that fit the words", () => {
  expect(names(mentionEntries("", CHATS))).toEqual(["Uncommitted changes", "Earlier chats"]);
  expect(names(mentionEntries("", []))).toEqual(["Uncommitted changes"]);
  expect(names(mentionEntries("di", CHATS))).toEqual(["Uncommitted changes"]);
  expect(names(mentionEntries("pars", CHATS))).toEqual(["Fix the parser", "Parse dates"]);
  expect(names(mentionEntries("ch", CHATS))).toEqual(["Earlier chats"]);
  expect(names(mentionEntries("chat:", CHATS))).toEqual(CHATS.map(({ title }) => title));
  expect(names(mentionEntries("chat:docs", CHATS))).toEqual(["Write docs"]);
  expect(mentionEntries("chat:docs", CHATS)[0]!.choice).toEqual({ act: "attach", attachment: { type: "chat", id: "c1", title: "Write docs" }, words: "@“Write docs”" });
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
