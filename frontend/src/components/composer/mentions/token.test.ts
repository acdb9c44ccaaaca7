import { expect, test } from "vitest";

import { replaced, tokenAt, withoutLines } from "./token";

/** The text with `|` at the caret. */
function typed(marked: string) {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  return { text, token: tokenAt(text, caret) };
}

test.each([
  ["@|", ""],
  ["look at @src/a|", "src/a"],
  ["look at (@src/a|", "src/a"],
  ["one\n@two|", "two"],
  ["@src/app.py:10-20|", "src/app.py:10-20"],
  ["@größe/дом|", "größe/дом"],
])("a mention is being typed: %s", (marked, query) => {
  expect(typed(marked).token).toMatchObject({ sign: "@", query });
});

test.each(["ada@example.com|", "a@|", "@src/a |", "no sign|", "|@src", "@a\n|", `@${"x".repeat(400)}|`])(
  "nothing is being typed: %s",
  (marked) => {
    expect(typed(marked).token).toBe(undefined);
  },
);

test("a command is the first and only word", () => {
  expect(typed("/rev|").token).toEqual({ sign: "/", start: 0, end: 4, query: "rev" });
  expect(typed("/|").token).toMatchObject({ sign: "/", query: "" });
  for (const marked of ["a /rev|", "/review this|", "/re|view", "/re| more", "\n/re|"]) expect(typed(marked).token?.sign).not.toBe("/");
});

test.each([
  ["src/app.py:10-20", "src/app.py", [10, 20]],
  ["src/app.py:7", "src/app.py", [7, 7]],
  ["src/app.py:20-10", "src/app.py", [10, 20]],
  ["src/app.py:10-", "src/app.py", [10, 10]],
  ["src/app.py:", "src/app.py", undefined],
  ["src/app.py:0", "src/app.py", undefined],
  ["src/app.py:abc", "src/app.py:abc", undefined],
  ["C:10", "C", [10, 10]],
  [":10", ":10", undefined],
  ["src", "src", undefined],
])("the lines of %s", (query, path, lines) => {
  expect(withoutLines(query)).toEqual({ path, lines });
});

test("the whole word is replaced, and followed by one space", () => {
  const replace = (marked: string, words: string, isDone = true) => {
    const { text, token } = typed(marked);
    const { text: made, caret } = replaced(text, token!, words, isDone);
    return `${made.slice(0, caret)}|${made.slice(caret)}`;
  };
  expect(replace("fix @ap|", "@src/app.py")).toBe("fix @src/app.py |");
  expect(replace("fix @ap| now", "@src/app.py")).toBe("fix @src/app.py |now");
  expect(replace("fix @ap|p.py now", "@src/app.py")).toBe("fix @src/app.py |now");
  expect(replace("/dep|", "")).toBe("|");
  expect(replace("see @ch| now", "@chat:", false)).toBe("see @chat:| now");
});
