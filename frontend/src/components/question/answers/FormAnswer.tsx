// A form to fill in: fields, problems, and three ways to answer.
import { createMemo, createSignal, For, Show, type JSX } from "solid-js";
import { createStore } from "solid-js/store";

import { forgetForm, formDraft, type QuestionBlock } from "../../../state";
import { keyOf } from "../../../state/named";
import type { Answering } from "../answering";
import { FormField } from "./FormField";
import { NotYet } from "./NotYet";
import { RefuseButtons } from "./RefuseButtons";
import type { Answers } from "../QuestionDock";
import { contentOf, fieldsOf, initialEntries, problemsOf, type Entered } from "./schema";
import { labels } from "../labels";

export function FormAnswer(props: { question: QuestionBlock; answers: Answers; answering: Answering }): JSX.Element {
  const fields = createMemo(() => fieldsOf(props.question.detail["schema"]));
  const [entries, setEntries] = createStore<Record<string, Entered>>(formDraft(props.question.id, () => initialEntries(fields())));
  const [isChecked, setChecked] = createSignal(false);
  const problems = createMemo(() => (isChecked() ? problemsOf(fields(), entries) : {}));
  let form!: HTMLFormElement;

  function give(action: "accept" | "decline" | "cancel") {
    const { id } = props.question;
    const send = action === "accept" ? props.answering.allow : props.answering.refuse;
    void send(action, async () => {
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
              entered={entries[keyOf(field.name)] ?? field.initial}
              problem={problems()[keyOf(field.name)]}
              onEnter={(entered) => setEntries(keyOf(field.name), entered)}
            />
          )}
        </For>
        <Show when={fields().length === 0}>
          <p class="quiet">{labels.noFields}</p>
        </Show>
        <div class="question-end" ref={(end) => props.answering.seen.end(end)} />
      </div>
      <footer class="question-foot" classList={{ "question-resting": !props.answering.isArmed() }}>
        <NotYet answering={props.answering} />
        <div class="options">
          <button type="submit" aria-disabled={!props.answering.isArmed() || props.answering.notYet() !== ""} class="option option-allow" data-testid="question-option" data-kind="accept">
            {labels.sendAnswer}
          </button>
          <RefuseButtons give={give} />
        </div>
      </footer>
    </form>
  );
}
