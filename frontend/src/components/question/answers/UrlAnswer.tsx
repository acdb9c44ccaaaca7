// A page the agent wants opened: full address and host; only a person can open it.
import { Show, type JSX } from "solid-js";

import type { QuestionBlock } from "../../../state";
import { targetOf } from "../../../markdown/links";
import { CopyButton } from "../../controls/copy/CopyButton";
import type { Answering } from "../answering";
import { ExactText } from "../content/ExactText";
import { NotYet } from "./NotYet";
import { RefuseButtons } from "./RefuseButtons";
import type { Answers } from "../QuestionDock";
import { labels } from "../labels";

export function UrlAnswer(props: { question: QuestionBlock; answers: Answers; answering: Answering }): JSX.Element {
  const address = () => String(props.question.detail["url"] ?? "");
  const target = () => targetOf(address());
  const isForeign = () => /(?:^|\.)xn--/.test(target()?.where ?? "");
  function give(action: "accept" | "decline" | "cancel") {
    const send = action === "accept" ? props.answering.allow : props.answering.refuse;
    void send(action, () => props.answers.respond(props.question.id, action));
  }
  return (
    <>
      <div class="question-body">
        <div class="address">
          <p>
            {labels.site}<strong>{target()?.where ?? labels.unopenable}</strong>
          </p>
          <Show when={isForeign()}>
            <p class="question-caution">{labels.foreignSite}</p>
          </Show>
          <div class="address-whole">
            <ExactText text={address()} isStrict />
          </div>
          <CopyButton text={address} label={labels.copyAddress} />
        </div>
        <div class="question-end" ref={(end) => props.answering.seen.end(end)} />
      </div>
      <footer class="question-foot" classList={{ "question-resting": !props.answering.isArmed() }}>
        <NotYet answering={props.answering} />
        <div class="options">
          <Show when={target()}>
            {(known) => (
              <a
                class="option option-allow"
                data-testid="question-option"
                data-kind="accept"
                href={known().href}
                target="_blank"
                aria-disabled={!props.answering.isArmed() || props.answering.notYet() !== ""}
                rel="noopener noreferrer nofollow"
                onClick={(event) => {
                  if (!props.answering.isArmed() || props.answering.notYet() !== "") event.preventDefault();
                  else give("accept");
                }}
              >
                {labels.openPage}
              </a>
            )}
          </Show>
          <RefuseButtons give={give} />
        </div>
      </footer>
    </>
  );
}
