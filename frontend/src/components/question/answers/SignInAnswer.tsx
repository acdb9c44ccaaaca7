// A sign-in request of an agent: its sign-in methods, each with a button or a command.
import { For, Show, type JSX } from "solid-js";

import type { QuestionBlock } from "../../../state";
import { CopyButton } from "../../controls/copy/CopyButton";
import { Spinner } from "../../controls/Spinner";
import type { Answering } from "../answering";
import { ExactText } from "../content/ExactText";
import { OptionsAnswer } from "./OptionsAnswer";
import type { Answers } from "../QuestionDock";
import { commandsIn, signInOf, type SignInMethod } from "./signIn";
import { visibleText } from "../content/visibleText";
import { labels } from "../labels";

export function SignInAnswer(props: { question: QuestionBlock; answers: Answers; answering: Answering }): JSX.Element {
  const signIn = () => signInOf(props.question);
  return (
    <>
      <div class="question-body">
        <Show when={signIn().reason}>
          {(reason) => (
            <p class="field-problem" role="alert">
              {labels.signInFailed(visibleText(reason()))}
            </p>
          )}
        </Show>
        <ul class="ways" aria-label={labels.signInMethods}>
          <For each={signIn().methods}>
            {(method) => <Way method={method} answering={props.answering} onChoose={(option) => choose(option)} />}
          </For>
        </ul>
        <Show when={signIn().hint}>
          {(hint) => (
            <div class="way-hint">
              <p>{visibleText(hint().replaceAll("`", ""))}</p>
              <For each={commandsIn(hint())}>{(command) => <CommandBox command={command} />}</For>
            </div>
          )}
        </Show>
        <div class="question-end" ref={(end) => props.answering.seen.end(end)} />
      </div>
      <OptionsAnswer {...props} options={signIn().others} />
    </>
  );

  function choose(option: string) {
    void props.answering.allow(option, () => props.answers.choose(props.question.id, option));
  }
}

function Way(props: { method: SignInMethod; answering: Answering; onChoose: (option: string) => void }): JSX.Element {
  const isBusy = () => !props.answering.isArmed() || props.answering.notYet() !== "" || props.answering.sending() !== undefined;
  return (
    <li class="way">
      <div class="way-words">
        <p class="way-name">{visibleText(props.method.name)}</p>
        <Show when={props.method.description}>{(words) => <p class="quiet small">{visibleText(words())}</p>}</Show>
      </div>
      <Show when={props.method.option}>
        {(option) => (
          <button
            type="button"
            class="option"
            data-testid="question-option"
            data-kind="sign_in"
            aria-label={labels.signInWith(visibleText(props.method.name))}
            aria-disabled={isBusy()}
            onClick={() => props.onChoose(option())}
          >
            <Show when={props.answering.sending() === option()}>
              <Spinner label={labels.sending} />
            </Show>
            {labels.signIn}
          </button>
        )}
      </Show>
      <Show when={props.method.command}>{(command) => <CommandBox command={command()} />}</Show>
      <Show when={props.method.env.length > 0}>
        <dl class="sent way-env" aria-label={labels.variables}>
          <For each={props.method.env}>
            {([name, value]) => (
              <>
                <dt>
                  <ExactText text={name} isStrict />
                </dt>
                <dd>
                  <ExactText text={value} isStrict />
                </dd>
              </>
            )}
          </For>
        </dl>
      </Show>
    </li>
  );
}

function CommandBox(props: { command: string }): JSX.Element {
  return (
    <div class="install way-command">
      <ExactText text={props.command} isStrict />
      <CopyButton text={() => props.command} label={labels.copyCommand} />
    </div>
  );
}
