// Web addresses in plain text.

export interface Part {
  readonly text: string;
  readonly isAddress: boolean;
}

/** Split a text into addresses and the rest. Closing punctuation is not part of an address. */
export function addressesIn(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const found of text.matchAll(/\bhttps?:\/\/[^\s"'<>`\\^{|}]+/gi)) {
    const address = found[0].replace(/[.,;:!?)\]]+$/, "");
    if (found.index > end) parts.push({ text: text.slice(end, found.index), isAddress: false });
    parts.push({ text: address, isAddress: true });
    end = found.index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isAddress: false });
  return parts;
}
