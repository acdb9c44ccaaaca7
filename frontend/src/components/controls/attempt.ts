// An action of a person: whether it is running, and why it failed.

import { createSignal, type Accessor } from "solid-js";
import { labels } from "./labels";

export interface Attempt {
  readonly isBusy: Accessor<boolean>;
  /** The error and what to do about it; empty if there is none. */
  readonly problem: Accessor<string>;
  /** True if it worked. */
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

/** Only the message, where there is no room for a hint. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : labels.failed;
}

/** The message and its hint. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return labels.failed;
  const hint = (error as { hint?: unknown }).hint;
  return typeof hint === "string" && hint ? `${error.message} ${hint}` : error.message;
}
