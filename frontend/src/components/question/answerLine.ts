// The outcome of a question in one line: "Allowed once by you on Phone, 14:02".

import type { QuestionBlock } from "../../state";
import { tableOf } from "../../state/named";
import { clock } from "../when";
import { labels } from "./labels";

const OUTCOMES = tableOf<string>(labels.outcomes);

const POSITIVE = new Set(["accept", "trust", "start", "retry", "sign_in", "signed-in"]);

export interface AnswerLine {
  readonly words: string;
  readonly isPositive: boolean;
}

export function answerLine(question: QuestionBlock, now?: number): AnswerLine | null {
  const answer = question.answer;
  if (!answer) return null;
  const outcome = outcomeOf(question);
  const time = clock(answer.at, now);
  const isPositive = answer.outcome.startsWith("allow") || POSITIVE.has(answer.outcome);
  switch (answer.by) {
    case "cancelled":
      return { words: labels.turnStopped(time), isPositive: false };
    case "expired":
      if (answer.outcome !== "expired") return { words: labels.expired(time), isPositive: false };
      return { words: labels.agentGone(time), isPositive: false };
    case "rule":
      return { words: labels.byRule(outcome, time), isPositive };
    case "auto":
      return { words: labels.automatic(time), isPositive };
    case "person":
      return { words: labels.byYou(outcome, answer.where ?? "", time), isPositive };
  }
}

function outcomeOf(question: QuestionBlock): string {
  const answer = question.answer!;
  const chosen = question.options.find((option) => option.id === answer.option_id);
  // "Allowed" and "rejected" apply only to an agent's actions.
  const isOther = question.type === "confirm" || question.type === "sign-in";
  if (chosen && ((isOther && /^(allow|reject)/.test(chosen.kind)) || !OUTCOMES.has(chosen.kind))) return labels.chose(chosen.label);
  if (question.type === "url" && answer.outcome === "accept") return labels.opened;
  return OUTCOMES.get(answer.outcome) ?? answer.outcome;
}
