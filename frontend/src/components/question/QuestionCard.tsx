// One question: who asks, exactly what will happen, and the possible answers.
import { createEffect, createMemo, createSignal, For, Match, on, Show, Switch, type JSX } from "solid-js";

import { wholeEvent, type QuestionBlock } from "../../state";
import { useChatContext } from "../conversation/chatContext";
import { QuestionIcon, WarningIcon } from "../icons";
import { CutNote } from "../tool/CutNote";
import { load, placesOf, uncut } from "../tool/uncut";
import { commandOf, diffsOf } from "../tool/toolLabels";
import { createAnswering } from "./answering";
import { ExactText } from "./content/ExactText";
import { warningsAbout } from "./content/exact";
import { sizeOf, textsOf } from "./content/shown";
import { ConfirmDetail } from "./content/ConfirmDetail";
import { FormAnswer } from "./answers/FormAnswer";
import { OptionsAnswer } from "./answers/OptionsAnswer";
import type { Answers } from "./QuestionDock";
import { SignInAnswer } from "./answers/SignInAnswer";
import { UrlAnswer } from "./answers/UrlAnswer";
import { visibleText } from "./content/visibleText";
import { WhatWillHappen } from "./content/WhatWillHappen";
import { labels } from "./labels";

/** A longer request is shown in full only on request; before that, this many characters of each text. */
const LARGE = 200_000;
const FIRST = 4000;

export function QuestionCard(props: { question: QuestionBlock; answers: Answers }): JSX.Element {
  const context = useChatContext();
  const [wantsAll, setWantsAll] = createSignal(false);
  const [whole, setWhole] = createSignal<Partial<QuestionBlock>>({});
  const question = (): QuestionBlock => ({ ...props.question, ...whole() });
  const isCut = () => question().cut === true || placesOf(question().detail).length > 0;
  const isLarge = createMemo(() => sizeOf(question().detail) > LARGE);
  const isWhole = () => !isCut() && (!isLarge() || wantsAll());
  const answering = createAnswering(isWhole);
  createEffect(on(isWhole, (isNow) => isNow && answering.seen.again(), { defer: true }));
  const isShown = () => question().title === commandOf(question().detail) || question().type === "sign-in";
  async function loadAll() {
    const { pos, cut } = props.question;
    const { title, detail } = cut ? await wholeEvent<"question">(context.chatId, pos) : props.question;
    // The content reported before the request may be cut there too.
    if (isCut()) setWhole({ title, detail: uncut(detail, await load(context.chatId, placesOf(detail))), cut: false });
    setWantsAll(true);
  }
  return (
    <div class="question" data-testid="block-question" data-state="open" data-armed={answering.isArmed()} data-ready={answering.isArmed() && answering.notYet() === ""}>
      <header class="question-head">
        <QuestionIcon />
        <h2>
          {props.question.type === "confirm" ? "VoxPilot" : context.agentName(props.question.agent)} {wish(props.question)}
        </h2>
      </header>
      <div class="question-body">
        <For each={warnings(question())}>
          {(words) => (
            <p class="question-caution" data-testid="caution">
              <WarningIcon />
              <span>{visibleText(words)}</span>
            </p>
          )}
        </For>
        <Show when={question().detail.unclear}>
          {(words) => (
            <p class="quiet small" data-testid="unclear">
              {labels.neverAutomatic(visibleText(words()))}
            </p>
          )}
        </Show>
        <Show when={!isShown()}>
          <div class="question-title">
            <ExactText text={question().title} />
          </div>
        </Show>
        <Show when={question().type === "confirm"}>
          <ConfirmDetail detail={question().detail} />
        </Show>
        <Show when={kindOf(question())}>{(kind) => <p class="quiet small">{labels.kind(visibleText(kind()))}</p>}</Show>
        <WhatWillHappen detail={question().detail} most={isWhole() ? Infinity : FIRST} />
        <Show when={!isWhole()}>
          <CutNote size={question().size ?? sizeOf(question().detail)} label={labels.showAll} onLoad={loadAll} />
        </Show>
        <Show when={answering.problem()}>
          {(problem) => (
            <p class="field-problem" role="alert">
              {problem()}
            </p>
          )}
        </Show>
        <div class="question-end" ref={(end) => answering.seen.end(end)} />
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

/** Warnings to show on the card. */
function warnings(question: QuestionBlock): string[] {
  const { detail } = question;
  const caution = detail.caution ? labels.caution(detail.caution) : "";
  const told = Array.isArray(detail["warnings"]) ? detail["warnings"] : [];
  const left = typeof detail["options_left_out"] === "number" ? labels.moreOptions(detail["options_left_out"]) : "";
  const alike = detail["alike"] === true ? labels.sameIds : "";
  const all = [...told, caution, detail.warning, detail.why, left, alike, ...warningsAbout(textsOf(question))];
  return all.filter((words): words is string => typeof words === "string" && words !== "");
}

/** The agent's own description of the call. */
function kindOf(question: QuestionBlock): string | undefined {
  return question.type === "permission" ? question.detail.tool_kind : undefined;
}

/** Based on the content, not on what the agent calls it. */
function wish(question: QuestionBlock): string {
  if (question.type === "form") return labels.asks.form;
  if (question.type === "url") return labels.asks.url;
  if (question.type === "sign-in") return labels.asks.signIn;
  if (commandOf(question.detail)) return labels.asks.command;
  if (diffsOf(question.detail.content).length > 0) return labels.asks.change;
  return question.type === "permission" ? labels.asks.permission : labels.asks.other;
}
