// Times and durations in words.
//
// Lives here: how long something took, when it happened. All times are seconds since 1970, as in the log.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "0.4 s", "12 s", "3 min 5 s", "2 h 10 min". */
export function duration(seconds: number): string {
  const length = Math.max(0, seconds);
  if (length < 10) return `${length < 0.1 ? "0.1" : trimmed(length.toFixed(1))} s`;
  if (length < MINUTE) return `${Math.floor(length)} s`;
  if (length < HOUR) return joined(length, MINUTE, "min", 1, "s");
  return joined(length, HOUR, "h", MINUTE, "min");
}

/** "14:02" today, else with the day. */
export function clock(at: number, now = Date.now() / 1000): string {
  const date = new Date(at * 1000);
  const time = date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
  if (isSameDay(date, new Date(now * 1000))) return time;
  return `${date.toLocaleDateString(undefined, { day: "numeric", month: "short" })}, ${time}`;
}

/** How long ago, short enough for a list: "now", "5 min", "3 h", "2 d", then the date. */
export function ago(at: number, now = Date.now() / 1000): string {
  const passed = now - at;
  if (passed < MINUTE) return "now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h`;
  if (passed < 7 * DAY) return `${Math.floor(passed / DAY)} d`;
  return new Date(at * 1000).toLocaleDateString(undefined, { day: "numeric", month: "short" });
}

/** The same within a sentence: "just now", "5 min ago", then the date. */
export function lately(at: number, now = Date.now() / 1000): string {
  const words = ago(at, now);
  if (words === "now") return "just now";
  return now - at < 7 * DAY ? `${words} ago` : words;
}

function joined(length: number, big: number, bigName: string, small: number, smallName: string): string {
  const whole = Math.floor(length / big);
  const rest = Math.floor((length % big) / small);
  return rest ? `${whole} ${bigName} ${rest} ${smallName}` : `${whole} ${bigName}`;
}

function trimmed(number: string): string {
  return number.replace(/\.0$/, "");
}

function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString();
}
