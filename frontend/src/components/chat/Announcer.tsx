// What a person who does not see the page must hear: that something is asked, that a turn ended. Nothing more.
import { createEffect, createSignal, on, type JSX } from "solid-js";

import type { ChatState } from "../../state";
import { stopReason } from "../blocks/stopReasons";
import { useHere } from "../conversation/here";

export function Announcer(props: { state: ChatState }): JSX.Element {
  const here = useHere();
  // Taken back when they no longer hold: the same words again are not heard.
  const [words, setWords] = createSignal("");
  createEffect(
    on(
      () => ({ asked: props.state.head.questions.length, turn: props.state.head.turn?.id }),
      (now, before) => {
        if (!before) return;
        const last = props.state.blocks.at(-1);
        if (now.asked > before.asked) setWords(`${here.agentName(here.agent)} asks you something.`);
        else if (before.turn && !now.turn && last?.kind === "turn") setWords(stopReason(last.stop_reason));
        else if (now.asked < before.asked || now.turn !== before.turn) setWords("");
      },
    ),
  );
  return (
    <p class="unseen" role="status" aria-live="polite">
      {words()}
    </p>
  );
}
