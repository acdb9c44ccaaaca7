// A page the agent wants opened: its whole address and its host, opened only by a person.
import { Show, type JSX } from "solid-js";

import type { QuestionBlock } from "../../state";
import { targetOf } from "../../markdown/links";
import { CopyButton } from "../controls/CopyButton";
import type { Answering } from "./answering";
import type { Answers } from "./QuestionDock";
import { visibleText } from "./visibleText";

export function UrlAnswer(props: { question: QuestionBlock; answers: Answers; answering: Answering }): JSX.Element {
  const address = () => String(props.question.detail["url"] ?? "");
  const target = () => targetOf(address());
  function give(action: "accept" | "decline" | "cancel") {
    void props.answering.give(action, () => props.answers.respond(props.question.id, action));
  }
  return (
    <>
      <div class="question-body">
        <div class="address">
          <p>
            On <strong>{target()?.where ?? "an address that cannot be opened"}</strong>
          </p>
          <p class="address-whole mono">{visibleText(address())}</p>
          <CopyButton text={address} label="Copy address" />
        </div>
      </div>
      <footer class="question-foot" classList={{ "question-resting": !props.answering.isArmed() }}>
        <div class="options">
          <Show when={target()}>
            {(known) => (
              <a
                class="option option-allow"
                data-testid="question-option"
                data-kind="accept"
                href={known().href}
                target="_blank"
                rel="noopener noreferrer nofollow"
                onClick={(event) => {
                  if (!props.answering.isArmed()) event.preventDefault();
                  else give("accept");
                }}
              >
                Open this page
              </a>
            )}
          </Show>
          <button
            type="button"
            class="option option-reject"
            data-testid="question-option"
            data-kind="decline"
            onClick={() => give("decline")}
          >
            Decline
          </button>
          <button type="button" class="option" data-testid="question-option" data-kind="cancel" onClick={() => give("cancel")}>
            Dismiss
          </button>
        </div>
      </footer>
    </>
  );
}
