// Our own text for each option, and its shortcut key.
//
// An agent's label may say anything, so the button names the option's kind. An unknown kind is treated
// as allowing something. Lives elsewhere: drawing the buttons (OptionsAnswer.tsx).
import type { QuestionBlock, QuestionOption } from "../../../state";
import { tableOf } from "../../../state/named";
import { labels } from "../labels";

const WORDS = tableOf<string>(labels.choices);
const LETTERS = tableOf({ allow_once: "y", allow_always: "a", reject_once: "n", reject_always: "d", trust: "y", start: "y", retry: "y", not_now: "n" });
const REJECTING = new Set(["reject_once", "reject_always"]);
/** Our own kinds that have no effect. */
const PUTTING_OFF = new Set(["not_now"]);
const LONGEST_LABEL = 160;

/** The main text of a button; for our own questions, its label. */
export function wordsFor(question: Pick<QuestionBlock, "type">, option: QuestionOption): string {
  if (question.type !== "permission") return option.label || option.id;
  return WORDS.get(option.kind) ?? labels.otherChoice;
}

/** The agent's label if it says more than our text, without repeating our text. */
export function labelBeside(question: Pick<QuestionBlock, "type">, option: QuestionOption): string {
  if (question.type !== "permission") return "";
  const words = wordsFor(question, option).toLowerCase();
  const given = option.label.trim();
  if (words.startsWith(`${given.toLowerCase()} `)) return "";
  const isRepeated = given.toLowerCase() === words || given.toLowerCase().startsWith(`${words} `);
  const label = isRepeated ? given.slice(words.length).trim() : given;
  if (label === "") return "";
  const characters = [...label];
  return characters.length > LONGEST_LABEL ? `${characters.slice(0, LONGEST_LABEL).join("")}…` : label;
}

/** The shortcut key of each option, all different; empty for those without one. */
export function lettersFor(options: readonly QuestionOption[]): string[] {
  const taken = new Set<string>();
  return options.map((option, at) => {
    const usual = LETTERS.get(option.kind) ?? "";
    const digit = usual && at < 9 ? String(at + 1) : "";
    const letter = [usual, digit].find((one) => one !== "" && !taken.has(one)) ?? "";
    if (letter) taken.add(letter);
    return letter;
  });
}

export function isRejecting(option: QuestionOption): boolean {
  return REJECTING.has(option.kind);
}

/** Choosing it has no effect. */
export function isSafe(option: QuestionOption): boolean {
  return isRejecting(option) || PUTTING_OFF.has(option.kind);
}
