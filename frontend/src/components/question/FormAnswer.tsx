// A form to fill in: its fields, what is wrong with them, and three ways to answer.
import { createMemo, createSignal, For, Show, type JSX } from "solid-js";
import { createStore } from "solid-js/store";

import { forgetForm, formDraft, type QuestionBlock } from "../../state";
import type { Answering } from "./answering";
import { FormField } from "./FormField";
import type { Answers } from "./QuestionDock";
import { contentOf, fieldsOf, initialEntries, problemsOf, type Entered } from "./schema";

export function FormAnswer(props: { question: QuestionBlock; answers: Answers; answering: Answering }): JSX.Element {
  const fields = createMemo(() => fieldsOf(props.question.detail["schema"]));
  const [entries, setEntries] = createStore<Record<string, Entered>>(formDraft(props.question.id, () => initialEntries(fields())));
  const [isChecked, setChecked] = createSignal(false);
  const problems = createMemo(() => (isChecked() ? problemsOf(fields(), entries) : {}));
  let form!: HTMLFormElement;

  function give(action: "accept" | "decline" | "cancel") {
    const { id } = props.question;
    void props.answering.give(action, async () => {
      await props.answers.respond(id, action, action === "accept" ? contentOf(fields(), entries) : undefined);
      forgetForm(id);
    });
  }
  function submit(event: SubmitEvent) {
    event.preventDefault();
    setChecked(true);
    if (Object.keys(problems()).length === 0) give("accept");
    else form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }
  return (
    <form class="question-form" ref={form} novalidate onSubmit={submit}>
      <div class="question-body question-fields">
        <For each={fields()}>
          {(field) => (
            <FormField
              field={field}
              id={`${props.question.id}-${field.name}`}
              entered={entries[field.name] ?? field.initial}
              problem={problems()[field.name]}
              onEnter={(entered) => setEntries(field.name, entered)}
            />
          )}
        </For>
        <Show when={fields().length === 0}>
          <p class="quiet">Nothing to fill in.</p>
        </Show>
      </div>
      <footer class="question-foot" classList={{ "question-resting": !props.answering.isArmed() }}>
        <div class="options">
          <button type="submit" class="option option-allow" data-testid="question-option" data-kind="accept">
            Send answer
          </button>
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
    </form>
  );
}
