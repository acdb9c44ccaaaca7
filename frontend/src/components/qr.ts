// QR codes, made here so that no address leaves the page.
//
// Lives here: text to a square of dark and light modules, byte mode, error correction level M, versions 1 to 10 (213 bytes), according to ISO/IEC 18004. Lives elsewhere: drawing it (QrCode.tsx).

/** By version: error correction codewords per block, then blocks as [count, data codewords of each]. */
const LAYOUT: readonly (readonly [number, readonly (readonly [number, number])[]])[] = [
  [10, [[1, 16]]],
  [16, [[1, 28]]],
  [26, [[1, 44]]],
  [18, [[2, 32]]],
  [24, [[2, 43]]],
  [16, [[4, 27]]],
  [18, [[4, 31]]],
  [22, [[2, 38], [2, 39]]],
  [22, [[3, 36], [2, 37]]],
  [26, [[4, 43], [1, 44]]],
];
/** The centres of the alignment patterns, by version. */
const CENTRES = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

type Module = boolean | undefined;

/** Rows of modules, true for dark. Undefined when the text is too long. */
export function qrCode(text: string): boolean[][] | undefined {
  const bytes = new TextEncoder().encode(text);
  const version = LAYOUT.findIndex((_, n) => capacity(n + 1) >= bytes.length) + 1;
  if (version === 0) return undefined;
  const codewords = interleaved(version, dataCodewords(version, bytes));
  let best: { rows: boolean[][]; penalty: number } | undefined;
  for (let mask = 0; mask < 8; mask += 1) {
    const rows = drawn(version, codewords, mask);
    const penalty = penaltyOf(rows);
    if (!best || penalty < best.penalty) best = { rows, penalty };
  }
  return best?.rows;
}

function dataLength(version: number): number {
  return LAYOUT[version - 1]![1].reduce((sum, [count, length]) => sum + count * length, 0);
}

/** Bytes of text that fit: four bits give the mode, eight or sixteen the length. */
function capacity(version: number): number {
  return dataLength(version) - (version < 10 ? 2 : 3);
}

function dataCodewords(version: number, bytes: Uint8Array): number[] {
  const bits: number[] = [];
  const put = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  put(0b0100, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  put(0, 4);
  while (bits.length % 8 !== 0) bits.push(0);
  const words: number[] = [];
  for (let at = 0; at < bits.length; at += 8) words.push(Number.parseInt(bits.slice(at, at + 8).join(""), 2));
  for (let pad = 0xec; words.length < dataLength(version); pad ^= 0xec ^ 0x11) words.push(pad);
  return words.slice(0, dataLength(version));
}

function interleaved(version: number, data: number[]): number[] {
  const [checkLength, groups] = LAYOUT[version - 1]!;
  const blocks: number[][] = [];
  let at = 0;
  for (const [count, length] of groups) {
    for (let n = 0; n < count; n += 1) blocks.push(data.slice(at, (at += length)));
  }
  const checks = blocks.map((block) => checkWords(block, checkLength));
  return [...columns(blocks), ...columns(checks)];
}

function columns(blocks: number[][]): number[] {
  const longest = Math.max(...blocks.map((block) => block.length));
  const words: number[] = [];
  for (let at = 0; at < longest; at += 1) {
    for (const block of blocks) if (at < block.length) words.push(block[at]!);
  }
  return words;
}

const EXP = new Uint8Array(512);
const LOG = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power += 1) {
  EXP[power] = EXP[power + 255] = value;
  LOG[value] = power;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}

function times(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : EXP[LOG[one]! + LOG[other]!]!;
}

/** The remainder of dividing the data by the generator polynomial with that many roots. */
function checkWords(data: number[], length: number): number[] {
  let generator = [1];
  for (let root = 0; root < length; root += 1) {
    const next = [...generator, 0];
    generator.forEach((factor, at) => (next[at + 1]! ^= times(factor, EXP[root]!)));
    generator = next;
  }
  const rest = [...data, ...Array.from({ length }, () => 0)];
  for (let at = 0; at < data.length; at += 1) {
    const factor = rest[at]!;
    if (factor) generator.forEach((one, n) => (rest[at + n]! ^= times(one, factor)));
  }
  return rest.slice(data.length);
}

function drawn(version: number, codewords: number[], mask: number): boolean[][] {
  const rows = patterns(version);
  drawFormat(rows, mask);
  if (version >= 7) drawVersion(rows, version);
  drawData(rows, codewords, mask);
  return rows as boolean[][];
}

/** Everything that does not depend on the text; undefined where data goes. */
function patterns(version: number): Module[][] {
  const size = 17 + 4 * version;
  const rows: Module[][] = Array.from({ length: size }, () => Array.from({ length: size }, () => undefined));
  for (const [top, left] of [[0, 0], [0, size - 7], [size - 7, 0]] as const) drawFinder(rows, top, left);
  const centres = CENTRES[version - 1]!;
  for (const y of centres) for (const x of centres) if (rows[y]![x] === undefined) drawAlignment(rows, y, x);
  for (let at = 8; at < size - 8; at += 1) {
    rows[6]![at] ??= at % 2 === 0;
    rows[at]![6] ??= at % 2 === 0;
  }
  return rows;
}

function drawFinder(rows: Module[][], top: number, left: number): void {
  for (let y = -1; y <= 7; y += 1) {
    for (let x = -1; x <= 7; x += 1) {
      const row = rows[top + y];
      if (!row || left + x < 0 || left + x >= rows.length) continue;
      const ring = Math.max(Math.abs(y - 3), Math.abs(x - 3));
      row[left + x] = ring !== 2 && ring !== 4;
    }
  }
}

function drawAlignment(rows: Module[][], middle: number, centre: number): void {
  for (let y = -2; y <= 2; y += 1) {
    for (let x = -2; x <= 2; x += 1) rows[middle + y]![centre + x] = Math.max(Math.abs(y), Math.abs(x)) !== 1;
  }
}

/** Level M is 00; ten check bits and a fixed mask protect the five bits of level and mask. */
function drawFormat(rows: Module[][], mask: number): void {
  const size = rows.length;
  const bits = ((mask << 10) | remainder(mask << 10, 0x537)) ^ 0x5412;
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = ((bits >> bit) & 1) === 1;
    const near = bit < 6 ? bit : bit < 8 ? bit + 1 : 15 - bit - (bit > 8 ? 1 : 0);
    if (bit < 8) rows[near]![8] = isDark;
    else rows[8]![near] = isDark;
    if (bit < 8) rows[8]![size - 1 - bit] = isDark;
    else rows[size - 15 + bit]![8] = isDark;
  }
  rows[size - 8]![8] = true;
}

function drawVersion(rows: Module[][], version: number): void {
  const bits = (version << 12) | remainder(version << 12, 0x1f25);
  for (let bit = 0; bit < 18; bit += 1) {
    const isDark = ((bits >> bit) & 1) === 1;
    const [near, far] = [Math.floor(bit / 3), rows.length - 11 + (bit % 3)];
    rows[near]![far] = isDark;
    rows[far]![near] = isDark;
  }
}

function remainder(value: number, divisor: number): number {
  const width = (number: number) => 32 - Math.clz32(number);
  let rest = value;
  while (width(rest) >= width(divisor)) rest ^= divisor << (width(rest) - width(divisor));
  return rest;
}

const MASKS: readonly ((y: number, x: number) => boolean)[] = [
  (y, x) => (y + x) % 2 === 0,
  (y) => y % 2 === 0,
  (_, x) => x % 3 === 0,
  (y, x) => (y + x) % 3 === 0,
  (y, x) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (y, x) => ((y * x) % 2) + ((y * x) % 3) === 0,
  (y, x) => (((y * x) % 2) + ((y * x) % 3)) % 2 === 0,
  (y, x) => (((y + x) % 2) + ((y * x) % 3)) % 2 === 0,
];

/** In columns of two from the right, upward and downward by turns, leaving out the timing column. */
function drawData(rows: Module[][], codewords: number[], mask: number): void {
  const size = rows.length;
  let bit = 0;
  let isUpward = true;
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    for (let step = 0; step < size; step += 1) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (rows[y]![x] !== undefined) continue;
        const isSet = (((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
        rows[y]![x] = isSet !== MASKS[mask]!(y, x);
        bit += 1;
      }
    }
    isUpward = !isUpward;
  }
}

/** The penalty score: long runs, blocks, finder-like patterns, too much of one tone. */
function penaltyOf(rows: boolean[][]): number {
  const size = rows.length;
  const turned = rows.map((_, x) => rows.map((row) => row[x]!));
  let penalty = 0;
  for (const line of [...rows, ...turned]) {
    const text = line.map(Number).join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2;
    for (let at = 0; at + 11 <= size; at += 1) {
      const part = text.slice(at, at + 11);
      if (part === "10111010000" || part === "00001011101") penalty += 40;
    }
  }
  let dark = 0;
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const tone = rows[y]![x]!;
      dark += Number(tone);
      const isBlock = tone === rows[y]![x + 1] && tone === rows[y + 1]?.[x] && tone === rows[y + 1]?.[x + 1];
      if (isBlock) penalty += 3;
    }
  }
  return penalty + 10 * Math.floor(Math.abs((dark * 20) / (size * size) - 10));
}
