// Text in which nothing can hide.
//
// Lives here: which characters are invisible or deceptive, and how they are shown. Lives elsewhere: what a
// question shows, piece by piece (exact.ts). The command line does the same (src/voxpilot/cli/text.py).

/** Control, format, surrogate, private and unassigned characters, line and paragraph separators, all spaces but the plain one. */
const CLASSES = "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000";
/** Letters, marks and symbols that are drawn as nothing. */
const BLANKS = "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\ufe00-\\ufe0e\\uffa0\\ufff0-\\ufffc\\u{1d159}\\u{e0000}-\\u{e0fff}";
/** A joiner, selector or tag within an emoji is visible as part of it. */
const PICTURE = "\\p{Extended_Pictographic}\\ufe0f?|\\p{Emoji_Modifier}|[0-9#*]";
const JOINERS = `(?<!${PICTURE})[\\u200d\\ufe0f]`;
/** A letter may carry a few marks; too many cover the lines around it. */
const FLOOD = "(?<=\\p{M}{4})\\p{M}+";
const HIDDEN_CLASS = `(?![\\n\\t\\u200d\\ufe0f])[${CLASSES}${BLANKS}]`;

/** One or more characters that must be shown as codes. */
export const HIDDEN = `(?:${HIDDEN_CLASS}|${JOINERS})+|${FLOOD}`;
const ANY_HIDDEN = new RegExp(HIDDEN, "gu");

/** The text with every such character shown as a code; line breaks and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(ANY_HIDDEN, writtenOut);
}

export function hidesSomething(text: string): boolean {
  return text !== visibleText(text);
}

/** `⟨U+202E⟩`, and `⟨U+200B ×500⟩` for many of the same. */
export function writtenOut(run: string): string {
  const parts: { name: string; count: number }[] = [];
  for (const character of run) {
    const name = codeOf(character);
    const last = parts.at(-1);
    if (last?.name === name) last.count += 1;
    else parts.push({ name, count: 1 });
  }
  return parts.map(({ name, count }) => (count > 1 ? `⟨${name} ×${count}⟩` : `⟨${name}⟩`)).join("");
}

export function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
