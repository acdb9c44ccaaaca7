// The key of this browser's sign-in.
//
// Browsers send a cookie to every port of a host, so another server on the same
// machine may see it. So the page also sends a key that is kept in its
// own storage, which belongs to one port. Lives here: keeping the key, and the
// header that carries it. Lives elsewhere: checking it (web/door/access.py).

const HEADER = "X-VoxPilot-Key";
const NAME = "voxpilot.key";
/** Used if the browser refuses to store it, and in a shared worker, which has no such storage. */
let held: string | null = null;

export function key(): string | null {
  try {
    return localStorage.getItem(NAME) ?? held;
  } catch {
    return held;
  }
}

export function keepKey(given: string | null): void {
  held = given;
  try {
    if (given === null) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, given);
  } catch {
    // It is then kept only as long as this page is open.
  }
}

/** For the hub: a shared worker gets the key from the tabs. */
export function holdKey(given: string | null): void {
  if (given !== null) held = given;
}

/** The headers of a request, with the key if there is one. */
export function withKey(headers: Record<string, string> = {}): Record<string, string> {
  const known = key();
  return known === null ? headers : { ...headers, [HEADER]: known };
}
