// What became of a question, in one line: "Allowed once by you on Phone, 14:02".

import type { QuestionBlock } from "../../state";
import { clock } from "../when";

const OUTCOMES: Record<string, string> = {
  allow_once: "Allowed once",
  allow_always: "Always allowed",
  reject_once: "Rejected",
  reject_always: "Always rejected",
  accept: "Answered",
  decline: "Declined",
  cancel: "Dismissed",
  trust: "Trusted",
  start: "Agreed to",
  not_now: "Put off",
  "signed-in": "Signed in",
  "sign-in-failed": "Tried in the terminal",
};

const POSITIVE = new Set(["accept", "trust", "start", "retry", "sign_in", "signed-in"]);

export interface AnswerLine {
  readonly words: string;
  readonly isPositive: boolean;
}

export function answerLine(question: QuestionBlock, now?: number): AnswerLine | null {
  const answer = question.answer;
  if (!answer) return null;
  const outcome = outcomeOf(question);
  const isPositive = answer.outcome.startsWith("allow") || POSITIVE.has(answer.outcome);
  switch (answer.by) {
    case "cancelled":
      return { words: `Not answered: the turn was stopped, ${clock(answer.at, now)}`, isPositive: false };
    case "expired":
      if (answer.outcome !== "expired") return { words: `Turned down after a while without an answer, ${clock(answer.at, now)}`, isPositive: false };
      return { words: `Not answered: the agent was gone, ${clock(answer.at, now)}`, isPositive: false };
    case "rule":
      return { words: `${outcome} by a rule of yours, ${clock(answer.at, now)}`, isPositive };
    case "auto":
      return { words: `Approved automatically, ${clock(answer.at, now)}`, isPositive };
    case "person": {
      const where = answer.where ? ` on ${answer.where}` : "";
      return { words: `${outcome} by you${where}, ${clock(answer.at, now)}`, isPositive };
    }
  }
}

function outcomeOf(question: QuestionBlock): string {
  const answer = question.answer!;
  const chosen = question.options.find((option) => option.id === answer.option_id);
  // Allowing and rejecting are for what agents want to do.
  const isOther = question.type === "confirm" || question.type === "sign-in";
  if (chosen && ((isOther && /^(allow|reject)/.test(chosen.kind)) || !(chosen.kind in OUTCOMES))) return `Chose “${chosen.label}”`;
  if (question.type === "url" && answer.outcome === "accept") return "Opened";
  return OUTCOMES[answer.outcome] ?? answer.outcome;
}
