// A person's message; in history also a whole message of an agent.
import { createSignal, For, Show, type JSX } from "solid-js";

import type { JsonObject, MessageBlock } from "../../state";
import { Markdown } from "../../markdown/Markdown";
import { nameOf } from "../composer/attaching";
import { clock } from "../when";

/** Of a longer message, this much is shown at first. */
const LINES_AT_FIRST = 24;
const CHARACTERS_AT_FIRST = 2400;

export function Message(props: { block: MessageBlock }): JSX.Element {
  return (
    <Show when={props.block.role === "user"} fallback={<Markdown text={props.block.text} isFinished={true} />}>
      <PersonMessage text={props.block.text} attachments={props.block.attachments} note={clock(props.block.at)} />
    </Show>
  );
}

/** Also drawn for messages that are still on their way. */
export function PersonMessage(props: {
  text: string;
  attachments?: readonly JsonObject[] | undefined;
  note: string;
  isPending?: boolean;
  children?: JSX.Element;
}): JSX.Element {
  const [isWhole, setWhole] = createSignal(false);
  const beginning = () => props.text.split("\n", LINES_AT_FIRST).join("\n").slice(0, CHARACTERS_AT_FIRST);
  const isLong = () => beginning().length < props.text.length;
  const shown = () => (isWhole() ? props.text : beginning());
  return (
    <article class="message" classList={{ "message-pending": props.isPending ?? false }} aria-label="You">
      <Show when={props.text}>
        <p class="message-text" dir="auto">
          {shown()}
          <Show when={isLong() && !isWhole()}>
            …
            <button type="button" class="text-button" onClick={() => setWhole(true)}>
              Show all
            </button>
          </Show>
        </p>
      </Show>
      <Show when={props.attachments?.length}>
        <ul class="attachments" aria-label="Attachments">
          <For each={props.attachments}>{(one) => <li class="chip">{nameOf(one)}</li>}</For>
        </ul>
      </Show>
      <p class="message-note">
        {props.note}
        {props.children}
      </p>
    </article>
  );
}
