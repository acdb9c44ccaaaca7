// Noticing that the machine slept.
//
// Lives here: a clock that notices missing time, and the browser's event that the
// network is back. Lives elsewhere: what to do about it (serverStream.ts).

const TICK_MS = 2_000;

/** Returns a function that stops watching. */
export function onWaking(tell: () => void): () => void {
  let last = Date.now();
  const clock = setInterval(() => {
    const now = Date.now();
    if (now - last > 2 * TICK_MS) tell();
    last = now;
  }, TICK_MS);
  addEventListener("online", tell);
  return () => {
    clearInterval(clock);
    removeEventListener("online", tell);
  };
}
