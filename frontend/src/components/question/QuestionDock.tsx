// Open questions, one card at a time, between the conversation and the composer.
//
// Agents cannot imitate a card, because it is outside the conversation.
import { createComputed, createMemo, createSignal, on, Show, type JSX } from "solid-js";

import type { ChatState, QuestionBlock } from "../../state";
import { Part } from "../controls/Part";
import { BackIcon, ChevronIcon } from "../icons";
import type { Content } from "./answers/schema";
import { QuestionCard } from "./QuestionCard";
import { labels } from "./labels";

export interface Answers {
  choose(question: string, option: string, reason?: string): Promise<void>;
  respond(question: string, action: "accept" | "decline" | "cancel", content?: Content): Promise<void>;
}

export function QuestionDock(props: {
  state: ChatState;
  answers: Answers;
  /** Called when the last question is answered and had the focus. */
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
        <section class="dock" ref={(section) => (dock = section)} aria-label={labels.dock}>
          <Part value={() => question}>
            <QuestionCard question={question} answers={props.answers} />
          </Part>
          <Show when={open().length > 1}>
            <nav class="dock-queue" aria-label={labels.queue}>
              <button
                type="button"
                class="icon-button"
                aria-label={labels.previous}
                disabled={at() === 0}
                onClick={() => setWished(at() - 1)}
              >
                <BackIcon />
              </button>
              <span>
                {labels.position(at() + 1, open().length)}
              </span>
              <button
                type="button"
                class="icon-button"
                aria-label={labels.next}
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
