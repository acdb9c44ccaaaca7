// What a person who does not see the page must hear: that something is asked, that a turn ended. Nothing more.
import { createEffect, createSignal, on, type JSX } from "solid-js";

import type { ChatState } from "../../state";
import { stopReason } from "../blocks/stopReasons";
import { useHere } from "../conversation/here";

export function Announcer(props: { state: ChatState }): JSX.Element {
  const here = useHere();
  const [words, setWords] = createSignal("");
  createEffect(
    on(
      () => props.state.head.questions.length,
      (count, before) => {
        if (count > (before ?? 0)) setWords(`${here.agentName(here.agent)} asks you something.`);
      },
      { defer: true },
    ),
  );
  createEffect(
    on(
      () => props.state.head.turn?.id,
      (turn, before) => {
        const ended = props.state.blocks.at(-1);
        if (before && !turn && ended?.kind === "turn") setWords(stopReason(ended.stop_reason));
      },
      { defer: true },
    ),
  );
  return (
    <p class="unseen" role="status" aria-live="polite">
      {words()}
    </p>
  );
}
