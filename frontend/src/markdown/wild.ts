// Texts whose formatting would block the page.
//
// Parsing markdown gets very slow if marks are deeply nested or repeated, and an agent can
// write such a text on purpose. Lives here: detecting them by reading each character once. Lives elsewhere: what
// is shown instead (streamed.ts).

/** Per paragraph, or other text between two empty lines. */
const MOST = { characters: 30_000, emphasis: 800, brackets: 1000, ticks: 1000, angles: 1000, ats: 1000, escapes: 4000 };
/** Per text. */
const MOST_EMPHASIS = 8000;
const MOST_BRACKETS = 6000;
const MOST_LINES = 2500;
const MOST_FENCES = 300;
/** Nested quotes and lists. */
const DEEPEST = 12;
const WIDEST_INDENT = 60;
const NESTING = /^(?:[ \t]*(?:>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))+/;
const MARKER = />|[-*+](?=[ \t]|$)|\d{1,9}[.)]/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/;
/** A word in brackets that does not begin a link: always cheap. */
const SIMPLE_PAIR = /\[[A-Za-z0-9 .-]{1,40}\](?![(:])/y;
const LONG_RUN = /([*_~`[\]<>!\\])\1{199}/;

export function isWild(text: string): boolean {
  if (LONG_RUN.test(text)) return true;
  // Within other markup a fence may not count, so everything is checked.
  const hasMarkup = /^ {0,3}<|^ {0,3}(?:>|[-*+]|\d+[.)])[^\n]*(?:```|~~~)/m.test(text);
  let fence: string | undefined;
  let now = nothing();
  let emphasis = 0;
  let brackets = 0;
  let lines = 0;
  let fences = 0;
  for (const line of text.split("\n")) {
    const found = hasMarkup ? null : FENCE.exec(line);
    if (fence !== undefined) {
      if (found && found[1]!.startsWith(fence) && found[2]!.trim() === "") fence = undefined;
      continue;
    }
    if (found && !(found[1]!.startsWith("`") && found[2]!.includes("`"))) {
      fence = found[1];
      fences += 1;
      if (fences > MOST_FENCES) return true;
      continue;
    }
    if (line.trim() === "") {
      now = nothing();
      continue;
    }
    lines += 1;
    if (lines > MOST_LINES || isDeep(line)) return true;
    count(now, line);
    emphasis += now.lastEmphasis;
    brackets += now.lastBrackets;
    if (now.characters > MOST.characters || now.emphasis > MOST.emphasis || now.brackets > MOST.brackets || now.ticks > MOST.ticks) return true;
    if (now.angles > MOST.angles || now.ats > MOST.ats || now.escapes > MOST.escapes) return true;
    if (emphasis > MOST_EMPHASIS || brackets > MOST_BRACKETS) return true;
  }
  return false;
}

function nothing() {
  return { characters: 0, emphasis: 0, brackets: 0, ticks: 0, angles: 0, ats: 0, escapes: 0, lastEmphasis: 0, lastBrackets: 0 };
}

function count(now: ReturnType<typeof nothing>, line: string): void {
  const before = { emphasis: now.emphasis, brackets: now.brackets };
  now.characters += line.length + 1;
  for (let at = 0; at < line.length; at += 1) {
    switch (line.charCodeAt(at)) {
      case 42: // *
      case 95: // _
      case 126: // ~
        now.emphasis += 1;
        break;
      case 91: // [
        SIMPLE_PAIR.lastIndex = at;
        if (SIMPLE_PAIR.test(line)) at = SIMPLE_PAIR.lastIndex - 1;
        else now.brackets += 1;
        break;
      case 93: // ]
        now.brackets += 1;
        break;
      case 96: // `
        now.ticks += 1;
        break;
      case 60: // <
        now.angles += 1;
        break;
      case 64: // @
        now.ats += 1;
        break;
      case 38: // &
      case 92: // \
        now.escapes += 1;
        break;
    }
  }
  now.lastEmphasis = now.emphasis - before.emphasis;
  now.lastBrackets = now.brackets - before.brackets;
}

function isDeep(line: string): boolean {
  const marks = NESTING.exec(line.slice(0, 2000))?.[0];
  if (marks === undefined) return false;
  return (marks.match(MARKER)?.length ?? 0) > DEEPEST || /^[ \t]*/.exec(line)![0].length > WIDEST_INDENT;
}
