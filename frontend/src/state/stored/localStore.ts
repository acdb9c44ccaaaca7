// Small values stored in the browser between visits.
//
// Lives here: reading and writing localStorage, which may be refused or full.
// Lives elsewhere: the values (drafts.ts, outbox, and preferences of
// components).

const PREFIX = "voxpilot.";

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** False if the browser refused to store it. */
export function remember(name: string, value: string): boolean {
  try {
    localStorage.setItem(PREFIX + name, value);
    return true;
  } catch {
    return false;
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // There is nothing stored to remove.
  }
}

/** All names with this prefix. */
export function namesLike(start: string): string[] {
  try {
    const names = Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i) ?? "");
    return names.filter((name) => name.startsWith(PREFIX + start)).map((name) => name.slice(PREFIX.length));
  } catch {
    return [];
  }
}

/** Calls back with a name when another tab changes the value stored under it. */
export function onRemembered(tell: (name: string) => void): void {
  addEventListener("storage", (event) => {
    if (event.key?.startsWith(PREFIX)) tell(event.key.slice(PREFIX.length));
  });
}
