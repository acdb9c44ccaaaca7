// The word at the caret that starts a mention (`@`) or a command (`/`).
//
// Lives here: finding it, the line numbers in it, and replacing it. Lives elsewhere: what it may stand for (entries.ts).

export interface Token {
  readonly sign: "@" | "/";
  /** Where the sign is. */
  readonly start: number;
  /** The end of the word, which may be after the caret. */
  readonly end: number;
  /** What follows the sign, up to the caret. */
  readonly query: string;
}

/** The first and last line, counted from 1. */
export type Lines = readonly [number, number];

/** Longer words are not searched for. */
const MOST_CHARACTERS = 300;
const MENTION = /(?:^|[\s([{<"'“‘,;])@(\S*)$/u;
const COMMAND = /^\/(\S*)$/u;

/** Undefined if no mention and no command is being typed. */
export function tokenAt(text: string, caret: number): Token | undefined {
  const before = text.slice(Math.max(0, caret - MOST_CHARACTERS), caret);
  const command = caret <= MOST_CHARACTERS ? COMMAND.exec(before)?.[1] : undefined;
  // A command is followed by its argument: completing it in the middle would cut the text in two.
  if (command !== undefined && text.slice(caret).trim() === "") return { sign: "/", start: 0, end: caret, query: command };
  const query = MENTION.exec(before)?.[1];
  if (query === undefined) return undefined;
  const rest = /^\S*/u.exec(text.slice(caret))?.[0].length ?? 0;
  return { sign: "@", start: caret - query.length - 1, end: caret + rest, query };
}

/** `src/app.py:10-20` as the path and its lines; unfinished numbers count as far as they go. */
export function withoutLines(query: string): { path: string; lines: Lines | undefined } {
  const [, path, from, to] = /^(.+?):(\d{0,7})(?:-(\d{0,7}))?$/u.exec(query) ?? [];
  if (path === undefined) return { path: query, lines: undefined };
  const first = Number(from);
  if (!first) return { path, lines: undefined };
  const last = Number(to) || first;
  return { path, lines: first <= last ? [first, last] : [last, first] };
}

/** The text with the word replaced, followed by a space if `isDone`, and where the caret is then. */
export function replaced(text: string, token: Token, words: string, isDone = true): { text: string; caret: number } {
  const after = text.slice(token.end);
  const isSpaced = isDone && words !== "";
  const begun = text.slice(0, token.start) + words;
  return { text: begun + (isSpaced && !/^\s/u.test(after) ? " " : "") + after, caret: begun.length + (isSpaced ? 1 : 0) };
}
