// A question in the conversation: one line, before and after it is answered.
//
// The card with the answers is outside the conversation (question/QuestionDock.tsx), where nothing an agent
// writes can look like it.
import { Show, type JSX } from "solid-js";

import type { QuestionBlock } from "../../state";
import { CheckIcon, CrossIcon, QuestionIcon } from "../icons";
import { answerLine } from "../question/answerLine";
import { visibleText } from "../question/content/visibleText";
import { labels } from "./labels";

export function AnsweredQuestion(props: { block: QuestionBlock }): JSX.Element {
  return (
    <Show when={answerLine(props.block)} fallback={<OpenLine block={props.block} />}>
      {(line) => (
        <p class="answered" data-testid="block-question" data-state="answered">
          <Show when={line().isPositive} fallback={<CrossIcon />}>
            <CheckIcon />
          </Show>
          <span>
            <span class="answered-title">{visibleText(oneLine(props.block.title))}</span> <span>{line().words}</span>
            <Show when={props.block.answer?.reason}>{(reason) => <span>: “{visibleText(reason())}”</span>}</Show>
          </span>
        </p>
      )}
    </Show>
  );
}

/** A waiting tool call shows this itself. */
function OpenLine(props: { block: QuestionBlock }): JSX.Element {
  return (
    <Show when={!props.block.detail.tool}>
      <p class="answered answered-open">
        <QuestionIcon />
        <span class="cut">{visibleText(oneLine(props.block.title))}</span>
        <span class="tool-word-need">{labels.waiting}</span>
      </p>
    </Show>
  );
}

function oneLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
