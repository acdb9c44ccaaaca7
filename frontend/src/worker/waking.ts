// Noticing that the machine slept.
//
// Lives here: a clock that finds time missing, and the browser's word that the
// network is back. Lives elsewhere: what to do about it (line.ts).

const TICK_MS = 2_000;

/** Returns what ends the watch. */
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
