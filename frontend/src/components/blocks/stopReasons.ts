// Why a turn ended, in words.

import { tableOf } from "../../state/named";
import { labels } from "./labels";

const REASONS = tableOf<string>(labels.stopReasons);

export function stopReason(reason: string): string {
  return REASONS.get(reason) ?? labels.otherReason(reason);
}

export function isGoodEnd(reason: string): boolean {
  return reason === "end_turn";
}

/** The agent was not finished, so it can be asked to continue. */
export function mayGoOn(reason: string): boolean {
  return reason === "interrupted" || reason === "max_tokens" || reason === "max_turn_requests";
}
