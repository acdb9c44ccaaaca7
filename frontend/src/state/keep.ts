// What this browser remembers between visits.
//
// Lives here: reading and writing localStorage, which may be refused or full.
// Lives elsewhere: what is remembered (drafts.ts, outbox.ts, and small choices of
// components).

const PREFIX = "voxpilot.";

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** False when the browser would not take it. */
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
    // Then there was nothing to forget.
  }
}

/** All names that begin so. */
export function namesLike(start: string): string[] {
  try {
    const names = Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i) ?? "");
    return names.filter((name) => name.startsWith(PREFIX + start)).map((name) => name.slice(PREFIX.length));
  } catch {
    return [];
  }
}

/** Called with a name when another tab changes what is remembered under it. */
export function onRemembered(tell: (name: string) => void): void {
  addEventListener("storage", (event) => {
    if (event.key?.startsWith(PREFIX)) tell(event.key.slice(PREFIX.length));
  });
}
