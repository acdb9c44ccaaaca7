// Something a person asked for: whether it is under way, and why it failed if it did.

import { createSignal, type Accessor } from "solid-js";

export interface Attempt {
  readonly isBusy: Accessor<boolean>;
  /** What happened and what to do about it; empty when nothing went wrong. */
  readonly problem: Accessor<string>;
  /** True when it worked. */
  run(act: () => Promise<unknown>): Promise<boolean>;
}

export function createAttempt(): Attempt {
  const [isBusy, setBusy] = createSignal(false);
  const [problem, setProblem] = createSignal("");
  return {
    isBusy,
    problem,
    async run(act) {
      setBusy(true);
      setProblem("");
      try {
        await act();
        return true;
      } catch (error) {
        setProblem(wordsOf(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return "That did not work.";
  const hint = (error as { hint?: unknown }).hint;
  return typeof hint === "string" && hint ? `${error.message} ${hint}` : error.message;
}
