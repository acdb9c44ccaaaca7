// Answering: one answer at a time, only once the card is armed, with its error.
//
// Rejecting needs nothing more. Allowing also requires that everything was loaded and has been in view.
import { createSignal, type Accessor } from "solid-js";

import { createArmed } from "./armed";
import { createSeen, type Seen } from "./seen";
import { labels } from "./labels";
import { wordsOf } from "../controls/attempt";

export interface Answering {
  readonly isArmed: Accessor<boolean>;
  /** Why nothing can be allowed yet; empty if it can. */
  readonly notYet: Accessor<string>;
  readonly seen: Seen;
  /** The name of the answer being sent. */
  readonly sending: Accessor<string | undefined>;
  readonly problem: Accessor<string | undefined>;
  refuse(name: string, act: () => Promise<void>): Promise<void>;
  allow(name: string, act: () => Promise<void>): Promise<void>;
}

export function createAnswering(isWhole: Accessor<boolean>): Answering {
  const isArmed = createArmed();
  const seen = createSeen();
  const [sending, setSending] = createSignal<string>();
  const [problem, setProblem] = createSignal<string>();
  const notYet = () => (!isWhole() ? labels.showAllFirst : !seen.isAll() ? labels.scrollFirst : "");

  async function give(name: string, act: () => Promise<void>) {
    if (!isArmed() || sending() !== undefined) return;
    setSending(name);
    setProblem(undefined);
    try {
      await act();
    } catch (error) {
      setProblem(wordsOf(error));
      setSending(undefined);
    }
  }
  return {
    isArmed,
    notYet,
    seen,
    sending,
    problem,
    refuse: give,
    allow: async (name, act) => {
      if (notYet() === "") await give(name, act);
    },
  };
}
