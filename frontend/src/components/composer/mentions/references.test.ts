import { expect, test } from "vitest";

import type { JsonObject } from "../../../state";
import { nameOf } from "../attaching";
import * as made from "./references";

test("a chip says what it stands for, and apart from what tells two of a name apart", () => {
  const said = (one: JsonObject) => [nameOf(one), made.referenceNote(one), made.mentionWords(one)];
  expect(said(made.fileReference("src/app.py"))).toEqual(["app.py", "src", "@src/app.py"]);
  expect(said(made.fileReference("app.py", [10, 20]))).toEqual(["app.py:10-20", "", "@app.py:10-20"]);
  expect(said(made.fileReference("a/app.py", [7, 7]))).toEqual(["app.py:7", "a", "@a/app.py:7"]);
  expect(said(made.folderReference("src/api/"))).toEqual(["api/", "src", "@src/api/"]);
  expect(said(made.diffReference())).toEqual(["Uncommitted changes", "", "@diff"]);
  expect(said(made.chatReference("c1", "Fix it"))).toEqual(["Fix it", "", "@“Fix it”"]);
  expect(said(made.chatReference("c1", ""))[0]).toBe("Untitled chat");
  expect(said(made.skillReference("s1", "deploy"))).toEqual(["Skill: deploy", "", ""]);
  expect(said(made.quoteReference("one\n two", "https://docs.example.com/a?b"))).toEqual(["“one two”", "docs.example.com", ""]);
});

test("a long quote is cut between characters", () => {
  expect(made.referenceName(made.quoteReference("😀".repeat(100), ""))).toBe(`“${"😀".repeat(60)}…”`);
});

test("anything else is not a reference", () => {
  for (const one of [{}, { type: "image" }, { type: "resource" }, { type: "toString" }]) expect(made.referenceName(one)).toBe(undefined);
  expect(made.isSameReference({ type: "image" }, { type: "image" })).toBe(false);
});

test("a file is mentioned once, whatever its lines", () => {
  const file = made.fileReference("a.py");
  expect(made.isSameReference(file, made.fileReference("a.py", [1, 2]))).toBe(true);
  expect(made.isSameReference(file, made.fileReference("b.py"))).toBe(false);
  expect(made.isSameReference(file, made.folderReference("a.py"))).toBe(false);
  expect(made.isSameReference(made.diffReference(), made.diffReference())).toBe(true);
  expect(made.isSameReference(made.quoteReference("a", ""), made.quoteReference("b", ""))).toBe(false);
});

test("references of a strange shape have words too", () => {
  const odd: JsonObject[] = [{ type: "file" }, { type: "file", path: 3, lines: "x" }, { type: "quote", text: null }, { type: "skill" }];
  expect(odd.map((one) => typeof nameOf(one))).toEqual(["string", "string", "string", "string"]);
});
