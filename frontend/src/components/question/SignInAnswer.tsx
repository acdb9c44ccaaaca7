// An agent that wants its person to sign in: its ways to do so, each with its button or its command.
import { For, Show, type JSX } from "solid-js";

import type { QuestionBlock } from "../../state";
import { CopyButton } from "../controls/CopyButton";
import { Spinner } from "../controls/Spinner";
import type { Answering } from "./answering";
import { OptionsAnswer } from "./OptionsAnswer";
import type { Answers } from "./QuestionDock";
import { commandsIn, signInOf, type SignInMethod } from "./signIn";
import { visibleText } from "./visibleText";

export function SignInAnswer(props: { question: QuestionBlock; answers: Answers; answering: Answering }): JSX.Element {
  const signIn = () => signInOf(props.question);
  return (
    <>
      <div class="question-body">
        <Show when={signIn().reason}>
          {(reason) => (
            <p class="field-problem" role="alert">
              That did not work: {visibleText(reason())}
            </p>
          )}
        </Show>
        <ul class="ways" aria-label="Ways to sign in">
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
      </div>
      <OptionsAnswer {...props} options={signIn().others} />
    </>
  );

  function choose(option: string) {
    void props.answering.give(option, () => props.answers.choose(props.question.id, option));
  }
}

function Way(props: { method: SignInMethod; answering: Answering; onChoose: (option: string) => void }): JSX.Element {
  const isBusy = () => !props.answering.isArmed() || props.answering.sending() !== undefined;
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
            aria-label={`Sign in: ${visibleText(props.method.name)}`}
            aria-disabled={isBusy()}
            onClick={() => props.onChoose(option())}
          >
            <Show when={props.answering.sending() === option()}>
              <Spinner label="Sending" />
            </Show>
            Sign in
          </button>
        )}
      </Show>
      <Show when={props.method.command}>{(command) => <CommandBox command={command()} />}</Show>
    </li>
  );
}

function CommandBox(props: { command: string }): JSX.Element {
  return (
    <p class="install way-command">
      <code>{visibleText(props.command)}</code>
      <CopyButton text={() => props.command} label="Copy command" />
    </p>
  );
}
