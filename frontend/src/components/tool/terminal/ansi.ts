// Terminal output as coloured text.
//
// Lives here: parsing escape sequences and keeping only colours and weights. Cursor moves, titles,
// links, clipboard writes and every other control are dropped, so output can never draw over anything.
// Lives elsewhere: drawing the pieces (TerminalText.tsx), the colours themselves (../tool.css).

export interface Piece {
  readonly text: string;
  /** Class names from a fixed set; empty for plain text. */
  readonly classes: string;
}

interface Style {
  fg: string;
  bg: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  inverse: boolean;
}

const PLAIN: Style = {
  fg: "",
  bg: "",
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
};
const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
/** Characters that need the parser. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
/** An unterminated control string must not swallow more than this. */
const LONGEST_STRING = 4096;

export function parseAnsi(input: string): Piece[] {
  if (!CONTROL.test(input)) return input ? [{ text: input, classes: "" }] : [];
  const pieces: Piece[] = [];
  let style = { ...PLAIN };
  let classes = "";
  let text = "";
  let at = 0;
  const put = () => {
    if (text) pieces.push({ text, classes });
    text = "";
  };
  while (at < input.length) {
    const plainEnd = nextControl(input, at);
    text += input.slice(at, plainEnd);
    at = plainEnd;
    if (at >= input.length) break;
    const code = input.charCodeAt(at);
    if (code === 0x0d) {
      // Overwriting a line would hide its earlier text, so a lone carriage return starts a new line.
      if (input[at + 1] !== "\n" && input[at + 1] !== undefined && text.at(-1) !== "\n") text += "\n";
      at += 1;
      continue;
    }
    const sequence = sequenceAt(input, at);
    if (sequence.colours !== null) {
      style = restyled(style, sequence.colours);
      const next = classesOf(style);
      if (next !== classes) {
        put();
        classes = next;
      }
    }
    at = sequence.end;
  }
  put();
  return pieces;
}

/** The text alone. */
export function withoutAnsi(input: string): string {
  return parseAnsi(input)
    .map((piece) => piece.text)
    .join("");
}

function nextControl(input: string, from: number): number {
  for (let at = from; at < input.length; at += 1) {
    const code = input.charCodeAt(at);
    if ((code < 0x20 && code !== 0x0a && code !== 0x09) || (code >= 0x7f && code <= 0x9f)) return at;
  }
  return input.length;
}

interface Sequence {
  end: number;
  /** The parameters of a colour sequence; null for all others. */
  colours: string | null;
}

function sequenceAt(input: string, at: number): Sequence {
  const code = input.charCodeAt(at);
  if (code === 0x9b) return controlSequence(input, at + 1);
  if (code === 0x90 || code === 0x98 || (code >= 0x9d && code <= 0x9f)) return controlString(input, at + 1);
  if (code !== 0x1b) return { end: at + 1, colours: null };
  const next = input[at + 1];
  if (next === "[") return controlSequence(input, at + 2);
  if (next !== undefined && "]PX^_".includes(next)) return controlString(input, at + 2);
  let end = at + 1;
  while (between(input, end, 0x20, 0x2f)) end += 1;
  return { end: between(input, end, 0x30, 0x7e) ? end + 1 : end, colours: null };
}

function controlSequence(input: string, start: number): Sequence {
  let end = start;
  while (between(input, end, 0x30, 0x3f)) end += 1;
  const parameters = input.slice(start, end);
  const plain = end;
  while (between(input, end, 0x20, 0x2f)) end += 1;
  if (!between(input, end, 0x40, 0x7e)) return { end, colours: null };
  const isColour = input[end] === "m" && plain === end && /^[0-9;:]*$/.test(parameters);
  return { end: end + 1, colours: isColour ? parameters : null };
}

function controlString(input: string, start: number): Sequence {
  const limit = Math.min(input.length, start + LONGEST_STRING);
  for (let at = start; at < limit; at += 1) {
    const code = input.charCodeAt(at);
    if (code === 0x07 || code === 0x9c) return { end: at + 1, colours: null };
    if (code === 0x1b) return { end: input[at + 1] === "\\" ? at + 2 : at, colours: null };
    if (code === 0x0a) return { end: at, colours: null };
  }
  return { end: limit, colours: null };
}

function between(input: string, at: number, low: number, high: number): boolean {
  const code = input.charCodeAt(at);
  return code >= low && code <= high;
}

function restyled(old: Style, parameters: string): Style {
  const style = { ...old };
  const numbers = parameters.split(/[;:]/).map((part) => (part === "" ? 0 : Number(part)));
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at]!;
    if (number === 38 || number === 48) {
      const [colour, used] = wideColour(numbers, at + 1, parameters.includes(":"));
      if (number === 38) style.fg = colour;
      else style.bg = colour;
      at += used;
    } else {
      simpleStyle(style, number);
    }
  }
  return style;
}

function simpleStyle(style: Style, number: number): void {
  if (number === 0) Object.assign(style, PLAIN);
  else if (number === 1) style.bold = true;
  else if (number === 2) style.dim = true;
  else if (number === 3) style.italic = true;
  else if (number === 4 || number === 21) style.underline = true;
  else if (number === 7) style.inverse = true;
  else if (number === 9) style.strike = true;
  else if (number === 22) style.bold = style.dim = false;
  else if (number === 23) style.italic = false;
  else if (number === 24) style.underline = false;
  else if (number === 27) style.inverse = false;
  else if (number === 29) style.strike = false;
  else if (number >= 30 && number <= 37) style.fg = NAMES[number - 30]!;
  else if (number === 39) style.fg = "";
  else if (number >= 40 && number <= 47) style.bg = NAMES[number - 40]!;
  else if (number === 49) style.bg = "";
  else if (number >= 90 && number <= 97) style.fg = `bright-${NAMES[number - 90]}`;
  else if (number >= 100 && number <= 107) style.bg = `bright-${NAMES[number - 100]}`;
}

/** The nearest of our sixteen colours for a 256-colour or true-colour code, and how many numbers it used. */
function wideColour(numbers: number[], at: number, colons: boolean): [string, number] {
  if (numbers[at] === 5) return [colourOf256(numbers[at + 1] ?? 0), 2];
  if (numbers[at] !== 2) return ["", 1];
  // 38:2::r:g:b names a colour space before the numbers.
  const skip = colons && numbers.length - at >= 5 ? 1 : 0;
  const [red = 0, green = 0, blue = 0] = numbers.slice(at + 1 + skip, at + 4 + skip);
  return [nearest(red, green, blue), 4 + skip];
}

function colourOf256(number: number): string {
  if (number < 8) return NAMES[number] ?? "";
  if (number < 16) return `bright-${NAMES[number - 8]}`;
  if (number > 231) {
    const grey = 8 + (number - 232) * 10;
    return nearest(grey, grey, grey);
  }
  const cube = number - 16;
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function nearest(red: number, green: number, blue: number): string {
  const high = Math.max(red, green, blue);
  const low = Math.min(red, green, blue);
  if (high - low < 40) return high < 60 ? "black" : high < 140 ? "bright-black" : high < 215 ? "white" : "bright-white";
  const middle = (high + low) / 2;
  const bits = (red > middle ? 1 : 0) | (green > middle ? 2 : 0) | (blue > middle ? 4 : 0);
  return high > 190 && low > 60 ? `bright-${NAMES[bits]}` : NAMES[bits]!;
}

function classesOf(style: Style): string {
  const fg = style.inverse ? style.bg || "default" : style.fg;
  const bg = style.inverse ? style.fg || "default" : style.bg;
  const classes: string[] = [];
  if (fg) classes.push(`ansi-fg-${fg}`);
  if (bg) classes.push(`ansi-bg-${bg}`);
  if (style.bold) classes.push("ansi-bold");
  if (style.dim) classes.push("ansi-dim");
  if (style.italic) classes.push("ansi-italic");
  if (style.underline) classes.push("ansi-underline");
  if (style.strike) classes.push("ansi-strike");
  return classes.join(" ");
}
