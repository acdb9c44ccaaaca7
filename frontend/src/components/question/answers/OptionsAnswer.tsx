// The options of a question as buttons: our text, the agent's label next to it, and always a way to reject.
import { createSignal, For, onCleanup, Show, type JSX } from "solid-js";

import type { QuestionBlock, QuestionOption } from "../../../state";
import { Spinner } from "../../controls/Spinner";
import { isTyping } from "../../frame/input/keys";
import type { Answering } from "../answering";
import { isRejecting, isSafe, labelBeside, lettersFor, wordsFor } from "./letters";
import { NotYet } from "./NotYet";
import type { Answers } from "../QuestionDock";
import { visibleText } from "../content/visibleText";
import { labels } from "../labels";

interface Props {
  question: QuestionBlock;
  answers: Answers;
  answering: Answering;
  /** The options shown here; all if not given. */
  options?: QuestionOption[];
}

export function OptionsAnswer(props: Props): JSX.Element {
  const [isExplaining, setExplaining] = createSignal(false);
  const options = () => props.options ?? props.question.options;
  const letters = () => lettersFor(options());
  const letterOf = (option: QuestionOption) => letters()[options().indexOf(option)] ?? "";
  /** Only an agent can receive a reason. */
  const refusal = () =>
    props.question.type === "permission" ? options().find((option) => option.kind === "reject_once") : undefined;
  /** If the agent offers no way to reject, we do. */
  const needsOwn = () => !options().some(isSafe);

  function choose(option: QuestionOption, reason?: string) {
    const act = () => props.answers.choose(props.question.id, option.id, reason);
    void (isSafe(option) ? props.answering.refuse(option.id, act) : props.answering.allow(option.id, act));
  }
  function dismiss() {
    void props.answering.refuse("cancel", () => props.answers.respond(props.question.id, "cancel"));
  }
  function onKey(event: KeyboardEvent) {
    const key = pressed(event);
    const option = key === "" ? undefined : options().find((one) => letterOf(one) === key);
    const isOwn = key === "n" && needsOwn();
    if ((!option && !isOwn) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    if (option) choose(option);
    else dismiss();
  }
  document.addEventListener("keydown", onKey);
  onCleanup(() => document.removeEventListener("keydown", onKey));
  const button = (option: QuestionOption) => (
    <OptionButton question={props.question} option={option} letter={letterOf(option)} answering={props.answering} onChoose={() => choose(option)} />
  );

  return (
    <footer class="question-foot" classList={{ "question-resting": !props.answering.isArmed() }}>
      <Show when={options().some((option) => !isSafe(option))}>
        <NotYet answering={props.answering} />
      </Show>
      <div class="options options-yes">
        <For each={options().filter((option) => !isSafe(option))}>{button}</For>
      </div>
      <div class="options options-no">
        <For each={options().filter(isSafe)}>{button}</For>
        <Show when={needsOwn()}>
          <button type="button" class="option option-reject" data-testid="question-option" data-kind="cancel" onClick={() => dismiss()}>
            <span>{props.question.type === "permission" ? labels.reject : labels.dismiss}</span>
            <kbd>N</kbd>
          </button>
        </Show>
        <Show when={refusal() && !isExplaining()}>
          <button type="button" class="text-button" onClick={() => setExplaining(true)}>
            {labels.rejectWithReason}
          </button>
        </Show>
      </div>
      <Show when={isExplaining() && refusal()}>{(option) => <WhyNot onSend={(reason) => choose(option(), reason)} />}</Show>
    </footer>
  );
}

function OptionButton(props: {
  question: QuestionBlock;
  option: QuestionOption;
  letter: string;
  answering: Answering;
  onChoose: () => void;
}): JSX.Element {
  const isOpen = () => props.answering.isArmed() && props.answering.sending() === undefined && (isSafe(props.option) || props.answering.notYet() === "");
  const label = () => visibleText(labelBeside(props.question, props.option));
  return (
    <button
      type="button"
      class="option"
      classList={{ "option-allow": !isSafe(props.option), "option-reject": isRejecting(props.option) }}
      data-testid="question-option"
      data-kind={props.option.kind}
      aria-disabled={!isOpen()}
      onClick={() => props.onChoose()}
    >
      <span>
        {visibleText(wordsFor(props.question, props.option))}
        <Show when={label()}>{(words) => <span class="option-label" dir="auto"> “{words()}”</span>}</Show>
      </span>
      <Show
        when={props.answering.sending() === props.option.id}
        fallback={
          <Show when={props.letter}>
            <kbd>{props.letter.toUpperCase()}</kbd>
          </Show>
        }
      >
        <Spinner label={labels.sending} />
      </Show>
    </button>
  );
}

function WhyNot(props: { onSend: (reason: string) => void }): JSX.Element {
  const [reason, setReason] = createSignal("");
  return (
    <form
      class="why-not"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason().trim()) props.onSend(reason().trim());
      }}
    >
      <input
        class="input"
        ref={(input) => queueMicrotask(() => input.focus())}
        aria-label={labels.reason}
        placeholder={labels.reasonPlaceholder}
        value={reason()}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <button type="submit" class="button button-bad">
        {labels.reject}
      </button>
    </form>
  );
}

/** The key pressed: alone outside fields, with Alt anywhere. */
function pressed(event: KeyboardEvent): string {
  if (event.ctrlKey || event.metaKey || event.repeat) return "";
  if (event.altKey) return /^(?:Key|Digit)(.)$/.exec(event.code)?.[1]?.toLowerCase() ?? "";
  return isTyping(event) ? "" : event.key.toLowerCase();
}
