// The entries of the palette, and searching them.

import type { JSX } from "solid-js";

export interface Entry {
  readonly name: string;
  /** A short note: where it is, what it does. */
  readonly note: string;
  readonly icon: () => JSX.Element;
  readonly act: () => void;
}

const MOST = 50;

/** Entries that contain every word typed; those whose name starts with it come first. */
export function matching(entries: readonly Entry[], typed: string): Entry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = entries.filter((entry) => {
    const text = `${entry.name} ${entry.note}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const first = words[0] ?? "";
  const begins = (entry: Entry) => entry.name.toLowerCase().startsWith(first);
  return [...fits.filter(begins), ...fits.filter((entry) => !begins(entry))].slice(0, MOST);
}
