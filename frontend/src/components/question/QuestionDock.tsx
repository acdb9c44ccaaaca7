// Questions that wait, one card at a time, between the conversation and the composer.
//
// Being outside the conversation, a card cannot be imitated by anything an agent writes.
import { createComputed, createMemo, createSignal, on, Show, type JSX } from "solid-js";

import type { ChatState, QuestionBlock } from "../../state";
import { BackIcon, ChevronIcon } from "../icons";
import type { Content } from "./schema";
import { QuestionCard } from "./QuestionCard";

export interface Answers {
  choose(question: string, option: string, reason?: string): Promise<void>;
  respond(question: string, action: "accept" | "decline" | "cancel", content?: Content): Promise<void>;
}

export function QuestionDock(props: {
  state: ChatState;
  answers: Answers;
  /** The last question is answered, and the focus was on it. */
  onDone: () => void;
}): JSX.Element {
  const [wished, setWished] = createSignal(0);
  const open = createMemo(() => {
    const ids = new Set(props.state.head.questions);
    return props.state.blocks.filter((block): block is QuestionBlock => block.kind === "question" && ids.has(block.id));
  });
  const at = () => Math.min(wished(), open().length - 1);
  const current = createMemo(() => open()[at()]);
  let dock: HTMLElement | undefined;
  createComputed(
    on(current, (now, before) => {
      if (before && !now && dock?.contains(document.activeElement)) queueMicrotask(() => props.onDone());
    }),
  );
  return (
    <Show when={current()} keyed>
      {(question) => (
        <section class="dock" ref={(section) => (dock = section)} aria-label="Questions that wait for you">
          <QuestionCard question={question} answers={props.answers} />
          <Show when={open().length > 1}>
            <nav class="dock-queue" aria-label="Waiting questions">
              <button
                type="button"
                class="icon-button"
                aria-label="Previous question"
                disabled={at() === 0}
                onClick={() => setWished(at() - 1)}
              >
                <BackIcon />
              </button>
              <span>
                {at() + 1} of {open().length} questions
              </span>
              <button
                type="button"
                class="icon-button"
                aria-label="Next question"
                disabled={at() === open().length - 1}
                onClick={() => setWished(at() + 1)}
              >
                <ChevronIcon />
              </button>
            </nav>
          </Show>
        </section>
      )}
    </Show>
  );
}
