// Giving an answer: at most one at a time, only when the card is armed, and what went wrong if it did.

import { createSignal, type Accessor } from "solid-js";

import { createArmed } from "./armed";

export interface Answering {
  readonly isArmed: Accessor<boolean>;
  /** What is being sent, by the name given to it. */
  readonly sending: Accessor<string | undefined>;
  readonly problem: Accessor<string | undefined>;
  give(name: string, act: () => Promise<void>): Promise<void>;
}

export function createAnswering(): Answering {
  const isArmed = createArmed();
  const [sending, setSending] = createSignal<string>();
  const [problem, setProblem] = createSignal<string>();
  return {
    isArmed,
    sending,
    problem,
    async give(name, act) {
      if (!isArmed() || sending() !== undefined) return;
      setSending(name);
      setProblem(undefined);
      try {
        await act();
      } catch (error) {
        setProblem(wordsOf(error));
        setSending(undefined);
      }
    },
  };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return "The answer could not be sent.";
  const hint = (error as { hint?: unknown }).hint;
  return typeof hint === "string" && hint ? `${error.message} ${hint}` : error.message;
}
