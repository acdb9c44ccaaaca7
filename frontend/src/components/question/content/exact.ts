// A text exactly as it is, in pieces: plain parts, and parts to point out.
//
// Lives here: spelling out invisible characters, marking lookalikes, and counting blanks instead of
// showing them, so that nothing is pushed out of sight. Lives elsewhere: which characters those are (visibleText.ts),
// drawing the pieces (ExactText.tsx).
import { codeOf, HIDDEN, writtenOut } from "./visibleText";
import { labels } from "../labels";

export interface Piece {
  readonly text: string;
  /** `hidden`: shown as a code. `letter`: possibly a lookalike. `note`: our own note about blanks. */
  readonly mark?: "hidden" | "letter" | "note";
}

/** This many blank lines in a row are replaced by a count. */
const BLANK_LINES = 3;
/** This many spaces are replaced by a count: within a line, and at its start. */
const SPACES = 12;
const INDENT = 80;
/** With more pieces than this some are joined: many small pieces are slow to draw. */
const MOST_PIECES = 4000;

const BLANK = /^[ \t]*$/;
/** In commands and paths all non-ASCII characters are marked. */
const STRICT = new RegExp(`(?<hidden>${HIDDEN}|\\p{M}+)|(?<letter>[^\\x00-\\x7f]+)|(?<spaces> {${SPACES},}| +$)|(?<tab>\\t+)`, "gu");
/** Elsewhere only lookalikes: variants of ASCII letters, and words that mix alphabets. */
const FORMS = "[\\uff01-\\uff5e\\u{1d400}-\\u{1d7ff}]+";
const PROSE = new RegExp(`(?<hidden>${HIDDEN})|(?<letter>${FORMS})|(?<word>[\\p{L}\\p{N}_]+)|(?<spaces> {${SPACES},}| +$)|(?<tab>\\t+)`, "gu");
const LATIN = /\p{Script=Latin}/u;
const ALIKE = /\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Cherokee}|\p{Script=Coptic}|\p{Script=Lisu}|\p{Script=Georgian}/u;

export function exact(text: string, isStrict: boolean): Piece[] {
  const pieces = allPieces(text, isStrict);
  return pieces.length <= MOST_PIECES ? pieces : joined(pieces);
}

/** Fewer pieces. One with a mark in it is marked as a whole: rather too much than too little. */
function joined(pieces: readonly Piece[]): Piece[] {
  const size = Math.ceil(pieces.length / MOST_PIECES);
  const fewer: Piece[] = [];
  for (let at = 0; at < pieces.length; at += size) {
    const group = pieces.slice(at, at + size);
    const mark = (["hidden", "letter", "note"] as const).find((one) => group.some((piece) => piece.mark === one));
    put(fewer, { text: group.map((piece) => piece.text).join(""), ...(mark && { mark }) });
  }
  return fewer;
}

function allPieces(text: string, isStrict: boolean): Piece[] {
  const lines = text.split("\n");
  const pieces: Piece[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const blanks = at > 0 || lines.length > BLANK_LINES ? blanksFrom(lines, at) : 0;
    if (blanks >= BLANK_LINES) {
      put(pieces, { text: `(${blanks.toLocaleString("en")} blank lines)`, mark: "note" });
      at += blanks - 1;
    } else {
      for (const piece of lineOf(lines[at]!, isStrict)) put(pieces, piece);
    }
    if (at < lines.length - 1) put(pieces, { text: "\n" });
  }
  return pieces;
}

/** The text as a person sees it. */
export function exactText(text: string, isStrict: boolean): string {
  return exact(text, isStrict)
    .map((piece) => piece.text)
    .join("");
}

/** Warnings about the characters of these texts. */
export function warningsAbout(texts: readonly { readonly text: string; readonly isStrict: boolean }[]): string[] {
  const hidden = new Set<string>();
  const letters = new Set<string>();
  let isJoined = false;
  for (const { text, isStrict } of texts) {
    const pieces = allPieces(text, isStrict);
    isJoined ||= pieces.length > MOST_PIECES;
    for (const piece of pieces) {
      if (piece.mark === "hidden") for (const code of piece.text.match(/U\+[0-9A-F]+/g) ?? []) hidden.add(code);
      if (piece.mark === "letter") for (const letter of piece.text) letters.add(`${letter} (${codeOf(letter)})`);
    }
  }
  return [
    hidden.size > 0 ? labels.hiddenCharacters(listed(hidden)) : "",
    letters.size > 0 ? labels.lookalikes(listed(letters)) : "",
    isJoined && hidden.size + letters.size > 0 ? labels.manyMarks : "",
  ].filter((words) => words !== "");
}

function listed(found: ReadonlySet<string>): string {
  const first = [...found].slice(0, 6);
  return first.join(", ") + (found.size > first.length ? ` and ${found.size - first.length} more` : "");
}

function blanksFrom(lines: readonly string[], from: number): number {
  let to = from;
  while (to < lines.length && BLANK.test(lines[to]!)) to += 1;
  return to - from;
}

function lineOf(line: string, isStrict: boolean): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  const plain = (to: number) => to > end && pieces.push({ text: line.slice(end, to) });
  for (const found of line.matchAll(isStrict ? STRICT : PROSE)) {
    const { hidden, letter, word, spaces, tab } = found.groups as Record<string, string | undefined>;
    if (spaces !== undefined && found.index === 0 && spaces.length < INDENT && spaces.length < line.length) continue;
    if (word !== undefined && !(LATIN.test(word) && ALIKE.test(word))) continue;
    plain(found.index);
    end = found.index + found[0].length;
    if (hidden !== undefined) pieces.push({ text: writtenOut(hidden), mark: "hidden" });
    else if (letter !== undefined) pieces.push({ text: letter, mark: "letter" });
    else if (word !== undefined) pieces.push(...mixed(word));
    else if (spaces !== undefined) pieces.push({ text: spaces.length > 3 ? `(${spaces.length.toLocaleString("en")} spaces)` : "␣".repeat(spaces.length), mark: "note" });
    else if (tab !== undefined) pieces.push({ text: tab.length > 8 ? `(${tab.length.toLocaleString("en")} tabs)` : "⇥\t".repeat(tab.length), mark: "note" });
  }
  plain(line.length);
  return pieces;
}

/** A word that mixes Latin letters with lookalikes. */
function mixed(word: string): Piece[] {
  return word.split(/(\P{Script=Latin}+)/u).map((part) => (ALIKE.test(part) ? { text: part, mark: "letter" } : { text: part }));
}

function put(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (piece.text === "") return;
  if (last && last.mark === piece.mark) pieces[pieces.length - 1] = { ...last, text: last.text + piece.text };
  else pieces.push(piece);
}
