// The agent's own options as buttons, each with its letter; and a refusal that says why.
import { createSignal, For, onCleanup, Show, type JSX } from "solid-js";

import type { QuestionBlock, QuestionOption } from "../../state";
import { Spinner } from "../controls/Spinner";
import { isTyping } from "../frame/keys";
import type { Answering } from "./answering";
import { isAllowing, isRejecting, lettersFor } from "./letters";
import type { Answers } from "./QuestionDock";
import { visibleText } from "./visibleText";

interface Props {
  question: QuestionBlock;
  answers: Answers;
  answering: Answering;
  /** Those of the question's options that are offered here; all, if not given. */
  options?: QuestionOption[];
}

export function OptionsAnswer(props: Props): JSX.Element {
  const [isExplaining, setExplaining] = createSignal(false);
  const options = () => props.options ?? props.question.options;
  const letters = () => lettersFor(options());
  /** Only an agent can be told why. */
  const refusal = () =>
    props.question.type === "permission" ? options().find((option) => option.kind === "reject_once") : undefined;

  function choose(option: QuestionOption, reason?: string) {
    void props.answering.give(option.id, () => props.answers.choose(props.question.id, option.id, reason));
  }
  function dismiss() {
    void props.answering.give("cancel", () => props.answers.respond(props.question.id, "cancel"));
  }
  function onKey(event: KeyboardEvent) {
    const at = letters().indexOf(pressed(event));
    const option = options()[at];
    if (!option || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    choose(option);
  }
  document.addEventListener("keydown", onKey);
  onCleanup(() => document.removeEventListener("keydown", onKey));

  return (
    <footer class="question-foot" classList={{ "question-resting": !props.answering.isArmed() }}>
      <div class="options">
        <For each={options()}>
          {(option, at) => (
            <button
              type="button"
              class="option"
              classList={{ "option-allow": isAllowing(option), "option-reject": isRejecting(option) }}
              data-testid="question-option"
              data-kind={option.kind}
              aria-disabled={!props.answering.isArmed() || props.answering.sending() !== undefined}
              onClick={() => choose(option)}
            >
              <span>{visibleText(option.label || option.id)}</span>
              <Show when={props.answering.sending() === option.id} fallback={<kbd>{letters()[at()]?.toUpperCase()}</kbd>}>
                <Spinner label="Sending" />
              </Show>
            </button>
          )}
        </For>
        <Show when={options().length === 0}>
          <button type="button" class="option" onClick={() => dismiss()} data-testid="question-option" data-kind="cancel">
            Dismiss
          </button>
        </Show>
      </div>
      <Show when={refusal()}>
        {(option) => (
          <Show
            when={isExplaining()}
            fallback={
              <button type="button" class="text-button" onClick={() => setExplaining(true)}>
                Reject and say why
              </button>
            }
          >
            <WhyNot onSend={(reason) => choose(option(), reason)} />
          </Show>
        )}
      </Show>
    </footer>
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
        aria-label="Why not"
        placeholder="Why not?"
        value={reason()}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <button type="submit" class="button button-bad">
        Reject
      </button>
    </form>
  );
}

/** The letter pressed: bare outside of fields, with Alt anywhere. */
function pressed(event: KeyboardEvent): string {
  if (event.ctrlKey || event.metaKey || event.repeat) return "";
  if (event.altKey) return /^(?:Key|Digit)(.)$/.exec(event.code)?.[1]?.toLowerCase() ?? "";
  return isTyping(event) ? "" : event.key.toLowerCase();
}
