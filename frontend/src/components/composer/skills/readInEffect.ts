// What goes along with the next message of a chat.
//
// Lives here: fetching it, again after a turn and after a change to skills or settings. Lives elsewhere: showing it
// (InEffect.tsx), what went along with earlier messages (blocks/message/SentAlong.tsx).

import { createEffect, createSignal, onCleanup, type Accessor } from "solid-js";

import { readContext, settings, skillsRevision, type ContextInEffect } from "../../../state";
import { wordsOf } from "../../controls/attempt";

export interface InEffect {
  /** The last known state; undefined before the first answer. */
  readonly now: Accessor<ContextInEffect | undefined>;
  readonly problem: Accessor<string>;
  refresh(): void;
}

export function createInEffect(chat: string, turn: Accessor<string | undefined>, read = readContext): InEffect {
  const [now, setNow] = createSignal<ContextInEffect>();
  const [problem, setProblem] = createSignal("");
  let latest = 0;
  async function refresh() {
    const mine = ++latest;
    try {
      const found = await read(chat);
      if (mine !== latest) return;
      setNow(found);
      setProblem("");
    } catch (error) {
      if (mine === latest) setProblem(wordsOf(error));
    }
  }
  createEffect(() => {
    turn();
    skillsRevision();
    settings();
    void refresh();
  });
  onCleanup(() => (latest += 1));
  return { now, problem, refresh: () => void refresh() };
}
