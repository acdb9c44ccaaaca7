// The two ways to refuse a request: decline it, or dismiss the question.
import type { JSX } from "solid-js";

import { labels } from "../labels";

export function RefuseButtons(props: { give: (action: "decline" | "cancel") => void }): JSX.Element {
  return (
    <>
      <button
        type="button"
        class="option option-reject"
        data-testid="question-option"
        data-kind="decline"
        onClick={() => props.give("decline")}
      >
        {labels.decline}
      </button>
      <button
        type="button"
        class="option"
        data-testid="question-option"
        data-kind="cancel"
        onClick={() => props.give("cancel")}
      >
        {labels.dismiss}
      </button>
    </>
  );
}
