// Messages that wait for their turn, each to be changed or taken back.
import { createSignal, For, Show, type JSX } from "solid-js";

import type { QueuedMessage } from "../../state";
import { wholeMessage } from "../blocks/wholeMessage";
import { useHere } from "../conversation/here";
import { CloseIcon, EditIcon } from "../icons";
import { nameOf } from "./attaching";

interface Changes {
  onEdit: (message: string, text: string) => Promise<void>;
  onRemove: (message: string) => Promise<void>;
}

export function Queue(props: Changes & { messages: readonly QueuedMessage[] }): JSX.Element {
  return (
    <Show when={props.messages.length > 0}>
      <ol class="queue" aria-label="Queued messages">
        <For each={props.messages}>
          {(message, at) => (
            <Queued message={message} number={at() + 1} onEdit={props.onEdit} onRemove={props.onRemove} />
          )}
        </For>
      </ol>
    </Show>
  );
}

function Queued(props: Changes & { message: QueuedMessage; number: number }): JSX.Element {
  const here = useHere();
  const [edited, setEdited] = createSignal<string>();
  const [problem, setProblem] = createSignal("");
  const names = () => (props.message.attachments ?? []).map(nameOf).join(", ");
  async function act(change: Promise<void>) {
    setProblem("");
    await change.then(
      () => setEdited(undefined),
      (error: unknown) => setProblem(error instanceof Error ? error.message : "That did not work."),
    );
  }
  /** A long text may be here only in part: never is that part all that is left of it. */
  async function edit() {
    const { cut, cut_at } = props.message;
    if (cut && !cut_at) return setProblem("Only a part of its text is here, so it cannot be edited. Remove it and write it anew.");
    const seq = cut_at?.text;
    if (seq === undefined) return setEdited(props.message.text);
    await wholeMessage(here.chatId, seq).then(
      ({ text }) => setEdited(text),
      () => setProblem("Its text could not be loaded. Try again."),
    );
  }
  return (
    <li class="queued">
      <span class="queued-number" title="Waits for its turn">
        <span class="unseen">Queued, number </span>
        {props.number}
      </span>
      <Show
        when={edited() !== undefined}
        fallback={
          <>
            <p class="queued-text cut">{props.message.text || names()}</p>
            <button
              type="button"
              class="icon-button"
              aria-label="Edit queued message"
              onClick={() => void edit()}
            >
              <EditIcon />
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label="Remove queued message"
              onClick={() => void act(props.onRemove(props.message.id))}
            >
              <CloseIcon />
            </button>
          </>
        }
      >
        <form
          class="queued-form"
          onSubmit={(event) => {
            event.preventDefault();
            const text = edited()?.trim() ?? "";
            if (text || names()) void act(props.onEdit(props.message.id, text));
          }}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            setEdited(undefined);
          }}
        >
          <textarea
            class="input"
            aria-label="Queued message"
            rows="2"
            ref={(input) => queueMicrotask(() => input.focus())}
            value={edited()}
            onInput={(event) => setEdited(event.currentTarget.value)}
          />
          <button type="submit" class="button">
            Save
          </button>
          <button type="button" class="button button-plain" onClick={() => setEdited(undefined)}>
            Leave as it was
          </button>
        </form>
      </Show>
      <Show when={problem()}>
        <p class="field-problem" role="alert">
          {problem()}
        </p>
      </Show>
    </li>
  );
}
