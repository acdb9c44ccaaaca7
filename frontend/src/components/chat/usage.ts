// An agent's context usage and cost as text.
import type { Usage } from "../../state";

/** The used share of the context, from 0 to 1; undefined if unknown. */
export function shareOf(usage: Usage): number | undefined {
  const { used, size } = usage;
  return used !== undefined && size ? Math.min(1, used / size) : undefined;
}

export function contextWords(usage: Usage): string {
  const share = shareOf(usage);
  if (share !== undefined) return `${Math.round(share * 100)}% of ${tokens(usage.size ?? 0)}`;
  return usage.used === undefined ? "" : `${tokens(usage.used)} tokens`;
}

/** A small cost is not shown as zero. */
export function costWords(usage: Usage): string {
  const { amount, currency = "" } = usage.cost ?? {};
  if (typeof amount !== "number") return "";
  const figure = amount > 0 && amount < 0.01 ? amount.toPrecision(1) : amount.toFixed(2);
  return `${figure} ${currency}`.trim();
}

function tokens(count: number): string {
  return count < 1000 ? String(count) : `${Math.round(count / 1000).toLocaleString()}k`;
}
