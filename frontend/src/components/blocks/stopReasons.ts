// Why a turn ended, in words.

const REASONS: Record<string, string> = {
  end_turn: "Done",
  max_tokens: "Stopped: the answer became too long for the model",
  max_turn_requests: "Stopped: too many steps in one turn",
  refusal: "The model refused",
  cancelled: "Stopped by you",
  interrupted: "Interrupted",
  error: "Failed",
};

export function stopReason(reason: string): string {
  return REASONS[reason] ?? `Ended: ${reason.replaceAll("_", " ")}`;
}

export function isGoodEnd(reason: string): boolean {
  return reason === "end_turn";
}

/** The agent was not done: asking it to go on makes sense. */
export function mayGoOn(reason: string): boolean {
  return reason === "interrupted" || reason === "max_tokens" || reason === "max_turn_requests";
}
