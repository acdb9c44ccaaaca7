// Why nothing can be allowed yet.
import { Show, type JSX } from "solid-js";

import type { Answering } from "../answering";

export function NotYet(props: { answering: Answering }): JSX.Element {
  return (
    <Show when={props.answering.notYet()}>
      {(words) => (
        <p class="question-not-yet" data-testid="not-yet">
          {words()}
        </p>
      )}
    </Show>
  );
}
