// Names chosen by others.
//
// An agent may call a tool, a session or a field `constructor` or `__proto__`. Lives here: using such a word as a
// key safely, so that it never hits a property every object inherits. Nothing else in the page looks
// up an agent's word in an object.

/** The record's own value under a name. */
export function heldUnder<V>(record: { readonly [name: string]: V } | undefined, name: string): V | undefined {
  // Read first: in a store, the read subscribes to later changes.
  const value = record?.[name];
  return record !== undefined && Object.hasOwn(record, name) ? value : undefined;
}

/** A table of our own words that is safe to look up any word in. */
export function tableOf<V>(entries: { readonly [name: string]: V }): ReadonlyMap<string, V> {
  return new Map(Object.entries(entries));
}

/** A key for a word in a record we write to: one that no object inherits. */
export function keyOf(word: string): string {
  return `.${word}`;
}
