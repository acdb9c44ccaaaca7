// Texts that have run scripts in other pages, and families of them. For tests.
//
// Lives elsewhere: the texts themselves, which the browser tests deliver too (tests/attacks/corpus.json).
import corpus from "../../../tests/attacks/corpus.json";

const { raw, schemes, forms, terminal } = corpus;

export const ATTACKS: readonly string[] = [
  ...raw,
  ...schemes.flatMap((target) => forms.map((form) => form.replace("{}", () => target))),
];
/** What output of a command may hold to do more than be read. */
export const TERMINAL_ATTACKS: readonly string[] = terminal;
