import { expect, test } from "vitest";

import { chosen, offered } from "./commands";

const COMMANDS = ["review", "release", "pre-release"].map((name) => ({ name }));
const names = (typed: string) => offered(COMMANDS, typed).map((command) => command.name);

test("commands are suggested while one is typed, prefix matches first", () => {
  expect(names("/")).toEqual(["review", "release", "pre-release"]);
  expect(names("/REL")).toEqual(["release", "pre-release"]);
  expect(names("/nothing")).toEqual([]);
});

test("nothing is suggested for ordinary text, or after a complete command", () => {
  for (const typed of ["", "re", " /re", "a /re", "/review ", "/review this"]) expect(names(typed)).toEqual([]);
  expect(chosen(COMMANDS[0]!)).toBe("/review ");
});
