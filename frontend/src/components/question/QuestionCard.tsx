// One question: who asks, exactly what will happen, and the answers there are.
import { createSignal, For, Match, Show, Switch, type JSX } from "solid-js";

import { wholeEvent, type QuestionBlock, type QuestionDetail } from "../../state";
import { useHere } from "../conversation/here";
import { QuestionIcon, WarningIcon } from "../icons";
import { CutNote } from "../tool/CutNote";
import { load, placesOf, uncut } from "../tool/uncut";
import { commandOf, diffsOf } from "../tool/words";
import { createAnswering } from "./answering";
import { ConfirmDetail } from "./ConfirmDetail";
import { FormAnswer } from "./FormAnswer";
import { OptionsAnswer } from "./OptionsAnswer";
import type { Answers } from "./QuestionDock";
import { SignInAnswer } from "./SignInAnswer";
import { UrlAnswer } from "./UrlAnswer";
import { visibleText } from "./visibleText";
import { WhatWillHappen } from "./WhatWillHappen";

export function QuestionCard(props: { question: QuestionBlock; answers: Answers }): JSX.Element {
  const here = useHere();
  const answering = createAnswering();
  const [whole, setWhole] = createSignal<Partial<QuestionBlock>>({});
  const question = (): QuestionBlock => ({ ...props.question, ...whole() });
  const title = () => visibleText(question().title);
  async function loadAll() {
    const { pos, cut } = props.question;
    const { title, detail } = cut ? ((await wholeEvent(here.chatId, pos)) as QuestionBlock) : props.question;
    // What was told of the call before the request may be cut there too.
    setWhole({ title, detail: uncut(detail, await load(here.chatId, placesOf(detail))), cut: false });
  }
  return (
    <div class="question" data-testid="block-question" data-state="open" data-armed={answering.isArmed()}>
      <header class="question-head">
        <QuestionIcon />
        <h2>
          {props.question.type === "confirm" ? "VoxPilot" : here.agentName(props.question.agent)} {wish(props.question)}
        </h2>
      </header>
      <div class="question-body">
        <Show when={title() !== commandOf(question().detail) && question().type !== "sign-in"}>
          <p class="question-title" dir="auto">
            {title()}
          </p>
        </Show>
        <Show when={question().cut || placesOf(question().detail).length > 0}>
          <CutNote size={question().size} onLoad={loadAll} />
        </Show>
        <For each={warnings(question().detail)}>
          {(words) => (
            <p class="question-caution" data-testid="caution">
              <WarningIcon />
              <span>{visibleText(words)}</span>
            </p>
          )}
        </For>
        <Show when={question().type === "confirm"}>
          <ConfirmDetail detail={question().detail} />
        </Show>
        <WhatWillHappen detail={question().detail} name={`${here.chatId}:${props.question.pos}`} />
        <Show when={answering.problem()}>
          {(problem) => (
            <p class="field-problem" role="alert">
              {problem()}
            </p>
          )}
        </Show>
      </div>
      <Switch
        fallback={<OptionsAnswer question={props.question} answers={props.answers} answering={answering} />}
      >
        <Match when={props.question.type === "form"}>
          <FormAnswer question={props.question} answers={props.answers} answering={answering} />
        </Match>
        <Match when={props.question.type === "url"}>
          <UrlAnswer question={props.question} answers={props.answers} answering={answering} />
        </Match>
        <Match when={props.question.type === "sign-in"}>
          <SignInAnswer question={props.question} answers={props.answers} answering={answering} />
        </Match>
      </Switch>
    </div>
  );
}

/** What makes this more than everyday work. */
function warnings(detail: QuestionDetail): string[] {
  const caution = detail.caution ? `Take care: ${detail.caution}.` : "";
  return [caution, detail.warning, detail.why].filter((words): words is string => typeof words === "string" && words !== "");
}

/** By what is there to see, not by what the agent calls it. */
function wish(question: QuestionBlock): string {
  if (question.type === "form") return "needs some details";
  if (question.type === "url") return "wants you to open a page";
  if (question.type === "sign-in") return "needs you to sign in";
  if (commandOf(question.detail)) return "wants to run a command";
  if (diffsOf(question.detail.content).length > 0) return "wants to change a file";
  return question.type === "permission" ? "asks for permission" : "asks";
}
