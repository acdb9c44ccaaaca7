import { expect, test } from "vitest";

import type { Skill } from "../../../state";
import { matchingSkills, workspacesOf } from "./filter";

const skill = (name: string, description = "", tags: string[] = []) => ({ name, description, tags }) as unknown as Skill;
const SKILLS = [skill("deploy", "Ship the shop", ["release"]), skill("Größe", "Sizes"), skill("review", "Read a release")];
const names = (words: string) => matchingSkills(SKILLS, words).map(({ name }) => name);

test("all words must occur, in the name, the description or the tags", () => {
  expect(names("")).toEqual(["deploy", "Größe", "review"]);
  expect(names(" RELEASE ")).toEqual(["deploy", "review"]);
  expect(names("release read")).toEqual(["review"]);
  expect(names("größe")).toEqual(["Größe"]);
  expect(names("constructor")).toEqual([]);
});

test("each folder is listed once, the last used first", () => {
  const chats = ["/b", "/a", "/b", ""].map((workspace) => ({ workspace }));
  expect(workspacesOf(chats, "/c")).toEqual(["/b", "/a", "/c"]);
  expect(workspacesOf(chats, "/a")).toEqual(["/b", "/a"]);
  expect(workspacesOf([], undefined)).toEqual([]);
});
