// What a person who does not see the page must hear: that something is asked, that a turn ended. Nothing more.
import { createEffect, createSignal, on, onCleanup, type JSX } from "solid-js";

import type { ChatState } from "../../state";
import { stopReason } from "../blocks/stopReasons";
import { useHere } from "../conversation/here";

/** Long enough for a screen reader to notice that the words went before they come again. */
const PAUSE_MS = 50;

export function Announcer(props: { state: ChatState }): JSX.Element {
  const here = useHere();
  const [words, setWords] = createSignal("");
  let again: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(again));

  /** The same words are heard again only if they were gone in between. */
  function say(text: string) {
    clearTimeout(again);
    if (text !== words()) return setWords(text);
    setWords("");
    again = setTimeout(() => setWords(text), PAUSE_MS);
  }

  const last = () => props.state.blocks.at(-1);
  const ended = () => {
    const block = last();
    return block?.kind === "turn" ? block : undefined;
  };
  createEffect(
    on(
      // Several events may come at once, so what is new is told by its name and not by a count.
      () => ({ asked: [...props.state.head.questions], running: props.state.head.turn?.id, ended: ended()?.turn }),
      (now, before) => {
        if (!before) return;
        const block = ended();
        if (now.asked.some((id) => !before.asked.includes(id))) say(`${here.agentName(here.agent)} asks you something.`);
        else if (block && !now.running && now.ended !== before.ended) say(stopReason(block.stop_reason));
        else if (now.asked.length < before.asked.length || now.running !== before.running) setWords("");
      },
    ),
  );
  return (
    <p class="unseen" role="status" aria-live="polite">
      {words()}
    </p>
  );
}
