import { expect, test } from "vitest";

import { chosen, offered } from "./commands";

const COMMANDS = ["review", "release", "pre-release"].map((name) => ({ name }));
const names = (typed: string) => offered(COMMANDS, typed).map((command) => command.name);

test("commands are offered while one is typed, beginnings first", () => {
  expect(names("/")).toEqual(["review", "release", "pre-release"]);
  expect(names("/REL")).toEqual(["release", "pre-release"]);
  expect(names("/nothing")).toEqual([]);
});

test("nothing is offered for ordinary words, or once the command stands", () => {
  for (const typed of ["", "re", " /re", "a /re", "/review ", "/review this"]) expect(names(typed)).toEqual([]);
  expect(chosen(COMMANDS[0]!)).toBe("/review ");
});
