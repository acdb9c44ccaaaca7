// Queued messages, each of which can be edited or removed.
import { createSignal, For, Show, type JSX } from "solid-js";

import type { QueuedMessage } from "../../state";
import { wholeMessage } from "../blocks/message/wholeMessage";
import { useChatContext } from "../conversation/chatContext";
import { CloseIcon, EditIcon } from "../icons";
import { nameOf } from "./attaching";
import { labels } from "./labels";
import { messageOf } from "../controls/attempt";

interface Changes {
  onEdit: (message: string, text: string) => Promise<void>;
  onRemove: (message: string) => Promise<void>;
}

export function Queue(props: Changes & { messages: readonly QueuedMessage[] }): JSX.Element {
  return (
    <Show when={props.messages.length > 0}>
      <ol class="queue" aria-label={labels.queuedMessages}>
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
  const context = useChatContext();
  const [edited, setEdited] = createSignal<string>();
  const [problem, setProblem] = createSignal("");
  const names = () => (props.message.attachments ?? []).map(nameOf).join(", ");
  async function act(change: Promise<void>) {
    setProblem("");
    await change.then(
      () => setEdited(undefined),
      (error: unknown) => setProblem(messageOf(error)),
    );
  }
  /** A long text may be loaded only in part; saving must never replace the whole with that part. */
  async function edit() {
    const { cut, cut_at } = props.message;
    if (cut && !cut_at) return setProblem(labels.partlyLoaded);
    const seq = cut_at?.text;
    if (seq === undefined) return setEdited(props.message.text);
    await wholeMessage(context.chatId, seq).then(
      ({ text }) => setEdited(text),
      () => setProblem(labels.notLoaded),
    );
  }
  return (
    <li class="queued">
      <span class="queued-number" title={labels.queuedHint}>
        <span class="unseen">Queued, number </span>
        {props.number}
      </span>
      <Show
        when={edited() !== undefined}
        fallback={
          <>
            <p class="queued-text cut">
              {props.message.text || names()}
              <Show when={props.message.to !== undefined}>
                <span class="quiet"> {labels.queuedFor(props.message.to ? context.agentName(props.message.to) : labels.assistant)}</span>
              </Show>
            </p>
            <button
              type="button"
              class="icon-button"
              aria-label={labels.editQueued}
              onClick={() => void edit()}
            >
              <EditIcon />
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label={labels.removeQueued}
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
            aria-label={labels.queuedMessage}
            rows="2"
            ref={(input) => queueMicrotask(() => input.focus())}
            value={edited()}
            onInput={(event) => setEdited(event.currentTarget.value)}
          />
          <button type="submit" class="button">
            {labels.save}
          </button>
          <button type="button" class="button button-plain" onClick={() => setEdited(undefined)}>
            {labels.cancel}
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
