// The letter that chooses each option of a question.

import type { QuestionOption } from "../../state";

const USUAL: Record<string, string> = { allow_once: "y", allow_always: "a", reject_once: "n", reject_always: "d", trust: "y", start: "y", retry: "y", not_now: "n" };

/** One letter or digit for each option, all different; the same kind of option has the same letter in every card. */
export function lettersFor(options: readonly QuestionOption[]): string[] {
  const taken = new Set<string>();
  return options.map((option, at) => {
    const wished = [USUAL[option.kind] ?? "", ...option.label.toLowerCase(), String(at + 1)];
    const letter = wished.find((one) => /^[a-z0-9]$/.test(one) && !taken.has(one)) ?? "";
    taken.add(letter);
    return letter;
  });
}

export function isAllowing(option: QuestionOption): boolean {
  return option.kind.startsWith("allow") || ["trust", "start", "retry"].includes(option.kind);
}

export function isRejecting(option: QuestionOption): boolean {
  return option.kind.startsWith("reject");
}
