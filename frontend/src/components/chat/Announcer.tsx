// Screen reader announcements: a question was asked, a turn ended.
import { createEffect, createSignal, on, onCleanup, type JSX } from "solid-js";

import type { ChatState } from "../../state";
import { stopReason } from "../blocks/stopReasons";
import { useChatContext } from "../conversation/chatContext";
import { labels } from "./labels";

/** Long enough for a screen reader to notice that the text was removed before it appears again. */
const PAUSE_MS = 50;

export function Announcer(props: { state: ChatState }): JSX.Element {
  const context = useChatContext();
  const [words, setWords] = createSignal("");
  let again: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(again));

  /** The same text is announced again only if it was removed in between. */
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
      // Several events may arrive at once, so new questions are found by id, not by count.
      () => ({ asked: [...props.state.head.questions], running: props.state.head.turn?.id, ended: ended()?.turn }),
      (now, before) => {
        if (!before) return;
        const block = ended();
        if (now.asked.some((id) => !before.asked.includes(id))) say(labels.needsAnswer(context.agentName(context.agent)));
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
