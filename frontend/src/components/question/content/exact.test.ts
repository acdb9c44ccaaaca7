import { describe, expect, test } from "vitest";

import { exact, exactText, warningsAbout } from "./exact";
import { hidesSomething, visibleText } from "./visibleText";

const marks = (text: string, isStrict = true) => exact(text, isStrict).filter((piece) => piece.mark).map((piece) => piece.text);

describe("invisible characters are shown as codes", () => {
  test.each([
    ["a\u202eb", "a⟨U+202E⟩b"],
    ["rm\u200b -rf", "rm⟨U+200B⟩ -rf"],
    ["a\rb", "a⟨U+000D⟩b"],
    ["\u001b[2Kgone\u0007", "⟨U+001B⟩[2Kgone⟨U+0007⟩"],
    ["x\u00a0y\u3000z\u2800", "x⟨U+00A0⟩y⟨U+3000⟩z⟨U+2800⟩"],
    ["tag\u{e0041}\u{e007f}", "tag⟨U+E0041⟩⟨U+E007F⟩"],
    ["v\ufe0f\ufe01", "v⟨U+FE0F⟩⟨U+FE01⟩"],
    ["\u3164\u115f\uffa0", "⟨U+3164⟩⟨U+115F⟩⟨U+FFA0⟩"],
    ["half \ud83d", "half ⟨U+D83D⟩"],
    ["\ue000\u0378", "⟨U+E000⟩⟨U+0378⟩"],
    ["\u200b".repeat(500), "⟨U+200B ×500⟩"],
    ["a\u2028b\u2029\u0085", "a⟨U+2028⟩b⟨U+2029⟩⟨U+0085⟩"],
  ])("%j", (text, seen) => {
    expect(exactText(text, true)).toBe(seen);
    expect(visibleText(text)).toBe(seen);
  });

  test("many marks on one letter too", () => {
    expect(visibleText(`Z${"\u0301".repeat(900)}`)).toBe(`Z${"\u0301".repeat(4)}⟨U+0301 ×896⟩`);
  });

  test("but not the parts of an emoji, or ordinary text in any script", () => {
    for (const text of ["⚠️ 👩‍💻 👍🏽", "größer 日本語 עברית ไทย हिन्दी", "ls -la\n\tcd .."]) expect([text, hidesSomething(text)]).toEqual([text, false]);
  });
});

describe("lookalike letters are marked", () => {
  test("in a command, everything that is not ASCII", () => {
    expect(marks("curl https://pаypal.com")).toEqual(["а"]);
    expect(marks("ｒｍ −rf ‘x’ раура")).toEqual(["ｒｍ", "−", "‘", "’", "раура"]);
    expect(marks("plain")).toEqual([]);
  });

  test("in prose, words that mix alphabets and other forms of ASCII", () => {
    expect(marks("Rеad the fіle", false)).toEqual(["е", "і"]);
    expect(marks("ｒｅａｄ 𝐫𝐞𝐚𝐝", false)).toEqual(["ｒｅａｄ", "𝐫𝐞𝐚𝐝"]);
    expect(marks("größer, привет, γειά, naïve café", false)).toEqual([]);
  });

  test("and the card says so", () => {
    expect(warningsAbout([{ text: "pаy\u202e", isStrict: true }])).toEqual([
      "Contains invisible characters, or characters that change how text is displayed. They are shown as codes: U+202E.",
      "Contains non-ASCII characters that may look like others. They are underlined: а (U+0430).",
    ]);
    expect(warningsAbout([{ text: "ls -la", isStrict: true }])).toEqual([]);
  });
});

describe("a text with very many marks", () => {
  const padded = `curl https://ex\u0430mple.com # \u202e${"\u00e9 ".repeat(2100)}`;

  test("keeps all of them, with the text around them, in a few pieces", () => {
    const pieces = exact(padded, true);
    expect(pieces.length).toBeLessThanOrEqual(4000);
    expect(pieces.map((piece) => piece.text).join("")).toBe(padded.replace("\u202e", "\u27e8U+202E\u27e9").replace(/ $/, "\u2423"));
    const isMarked = (part: string) => pieces.filter((piece) => piece.text.includes(part)).every((piece) => piece.mark);
    expect(["\u0430", "\u00e9", "U+202E"].map(isMarked)).toEqual([true, true, true]);
  });

  test("has the same warnings, and one more", () => {
    expect(warningsAbout([{ text: padded, isStrict: true }])).toEqual([
      "Contains invisible characters, or characters that change how text is displayed. They are shown as codes: U+202E.",
      "Contains non-ASCII characters that may look like others. They are underlined: \u0430 (U+0430), \u00e9 (U+00E9).",
      "Contains so many unusual characters that ordinary text between them is underlined too. Read it carefully.",
    ]);
  });
});

describe("blanks are counted", () => {
  test("lines", () => {
    expect(exactText(`ls${"\n".repeat(41)}rm -rf /`, true)).toBe("ls\n(40 blank lines)\nrm -rf /");
    expect(exactText(`ls\n${"   \n".repeat(40)}rm`, true)).toBe("ls\n(40 blank lines)\nrm");
    expect(exactText("a\n\nb", true)).toBe("a\n\nb");
    expect(exactText(`${"\n".repeat(5)}x`, true)).toBe("(5 blank lines)\nx");
  });

  test("spaces within a line and at its end, tabs", () => {
    expect(exactText(`ls${" ".repeat(5000)}; rm`, true)).toBe("ls(5,000 spaces); rm");
    expect(exactText("a \nb", true)).toBe("a␣\nb");
    expect(exactText("a\tb", true)).toBe("a⇥\tb");
    expect(exactText(`${" ".repeat(20)}indented`, true)).toBe(`${" ".repeat(20)}indented`);
    expect(exactText(`${" ".repeat(300)}pushed`, true)).toBe("(300 spaces)pushed");
  });
});

test("a large text is processed quickly, whatever it contains", () => {
  for (const unit of ["a", " ", "\n", "\t", "\u200b", "а", "a\u200b", " a", "\u0301", "aа", " \n", "日本"]) {
    const began = performance.now();
    exact(unit.repeat(100_000 / unit.length), true);
    exact(unit.repeat(100_000 / unit.length), false);
    expect([unit, performance.now() - began < 2000]).toEqual([unit, true]);
  }
});
