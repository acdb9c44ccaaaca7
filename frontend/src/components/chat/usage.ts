// What an agent says of its context and its cost, in words.
import type { Usage } from "../../state";

/** How much of the context is taken, between nothing and all of it; undefined if nobody knows. */
export function shareOf(usage: Usage): number | undefined {
  const { used, size } = usage;
  return used !== undefined && size ? Math.min(1, used / size) : undefined;
}

export function contextWords(usage: Usage): string {
  const share = shareOf(usage);
  if (share !== undefined) return `${Math.round(share * 100)} % of ${tokens(usage.size ?? 0)}`;
  return usage.used === undefined ? "" : `${tokens(usage.used)} tokens`;
}

/** A small cost is not nothing. */
export function costWords(usage: Usage): string {
  const { amount, currency = "" } = usage.cost ?? {};
  if (typeof amount !== "number") return "";
  const figure = amount > 0 && amount < 0.01 ? amount.toPrecision(1) : amount.toFixed(2);
  return `${figure} ${currency}`.trim();
}

function tokens(count: number): string {
  return count < 1000 ? String(count) : `${Math.round(count / 1000).toLocaleString()}k`;
}
