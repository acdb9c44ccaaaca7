// Texts that have run scripts in other pages, and variations of them. For tests.
//
// Lives elsewhere: the texts themselves, which the browser tests deliver too (tests/attacks/corpus.json).
import corpus from "../../../tests/attacks/corpus.json";

const { raw, schemes, forms, terminal } = corpus;

export const ATTACKS: readonly string[] = [
  ...raw,
  ...schemes.flatMap((target) => forms.map((form) => form.replace("{}", () => target))),
];
/** Escape sequences in command output that try to do more than print. */
export const TERMINAL_ATTACKS: readonly string[] = terminal;
