import { describe, expect, test } from "vitest";

import { contentOf, fieldsOf, initialEntries, problemsOf, type Entries } from "./schema";

const form = (properties: object, required: string[] = []) => fieldsOf({ type: "object", properties, required });
const problems = (properties: object, entries: Entries, required: string[] = []) =>
  problemsOf(form(properties, required), entries);

describe("fields", () => {
  test("of every kind are parsed", () => {
    const fields = form(
      {
        name: { type: "string", title: "Name", description: "Yours", default: "Ada" },
        age: { type: "integer", default: 3 },
        size: { type: "number" },
        ok: { type: "boolean", default: true },
        colour: { type: "string", enum: ["red", "green"] },
        shape: { type: "string", oneOf: [{ const: "o", title: "Round", description: "like a ball" }] },
        tags: { type: "array", items: { type: "string", enum: ["a", "b"] }, default: ["a"] },
        more: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] } },
      },
      ["name"],
    );
    expect(fields.map((field) => [field.name, field.kind, field.initial])).toEqual([
      ["name", "text", "Ada"],
      ["age", "number", "3"],
      ["size", "number", ""],
      ["ok", "boolean", true],
      ["colour", "choice", ""],
      ["shape", "choice", ""],
      ["tags", "choices", ["a"]],
      ["more", "choices", []],
    ]);
    expect(fields[0]).toMatchObject({ label: "Name", description: "Yours", required: true });
    expect(fields[5]).toMatchObject({ choices: [{ value: "o", label: "Round", description: "like a ball" }] });
  });

  test("of an unknown kind are text, and an invalid schema has none", () => {
    expect(form({ x: { type: "object" } })[0]?.kind).toBe("text");
    for (const nonsense of [null, undefined, 3, [], { properties: 5 }]) expect(fieldsOf(nonsense)).toEqual([]);
    expect(form({ x: null })).toHaveLength(1);
  });
});

describe("what was entered", () => {
  test("may be missing only if it is optional", () => {
    const all = { a: { type: "string" }, b: { type: "number" }, c: { type: "string", enum: ["x"] }, d: { type: "array", items: { enum: ["x"] } } };
    expect(problems(all, {})).toEqual({});
    expect(Object.keys(problems(all, {}, ["a", "b", "c", "d"]))).toEqual([".a", ".b", ".c", ".d"]);
  });

  test.each([
    [{ type: "string", minLength: 3 }, "ab", /at least 3/],
    [{ type: "string", maxLength: 3 }, "abcd", /at most 3/],
    [{ type: "string", format: "email" }, "ada", /email/],
    [{ type: "string", format: "uri" }, "example.com", /full address/],
    [{ type: "string", pattern: "^\\d+$" }, "12a", /expected format/],
    [{ type: "integer" }, "1.5", /whole number/],
    [{ type: "number" }, "abc", /a number/],
    [{ type: "number", minimum: 2 }, "1", /at least 2/],
    [{ type: "integer", maximum: 5 }, "6", /at most 5/],
    [{ type: "string", enum: ["a"] }, "b", /one of the options/],
    [{ type: "array", items: { enum: ["a", "b"] }, minItems: 2 }, ["a"], /at least 2/],
    [{ type: "array", items: { enum: ["a", "b"] }, maxItems: 1 }, ["a", "b"], /at most 1/],
  ])("%o does not accept %o", (property, entered, problem) => {
    expect(problems({ x: property }, { ".x": entered as string })[".x"]).toMatch(problem);
  });

  test.each([
    [{ type: "string", minLength: 2, maxLength: 2 }, "🙂🙂"],
    [{ type: "string", format: "email" }, "ada@example.com"],
    [{ type: "string", format: "uri" }, "https://example.com"],
    [{ type: "integer", minimum: 0 }, "0"],
    [{ type: "number" }, "-1.5e3"],
    [{ type: "string", enum: ["a"] }, "a"],
  ])("%o accepts %o", (property, entered) => {
    expect(problems({ x: property }, { ".x": entered })).toEqual({});
  });

  test("an invalid pattern, or one that would take too long, is ignored", () => {
    const began = performance.now();
    expect(problems({ x: { type: "string", pattern: "(" } }, { ".x": "a" })).toEqual({});
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(?:a|aa)+$", "a*a*a*a*a*a*a*a*a*$", "^(a?){60}a{60}$", "(.*)\\1x"]) {
      expect(problems({ x: { type: "string", pattern } }, { ".x": `${"a".repeat(900)}b` })).toEqual({});
    }
    problems({ x: { type: "string", pattern: "a*a*$" } }, { ".x": `${"a".repeat(900)}b` });
    expect(performance.now() - began).toBeLessThan(500);
  });
});

test("the answer has the right types and omits empty fields", () => {
  const fields = form(
    { name: { type: "string" }, none: { type: "string" }, age: { type: "integer" }, ok: { type: "boolean" }, tags: { type: "array", items: { enum: ["a"] } } },
    ["name"],
  );
  const entries = { ...initialEntries(fields), ".name": "Ada", ".age": "36", ".tags": ["a"] };
  expect(contentOf(fields, entries)).toEqual({ name: "Ada", age: 36, ok: false, tags: ["a"] });
});

test("a field may have any name", () => {
  const fields = form(JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}') as object, ["__proto__"]);
  expect(Object.keys(problemsOf(fields, initialEntries(fields)))).toEqual([".__proto__"]);
  const content = contentOf(fields, { ".__proto__": "x", ".constructor": "y" });
  expect(JSON.stringify(content)).toBe('{"__proto__":"x","constructor":"y"}');
});
