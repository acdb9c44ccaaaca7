// A person's message; in history also a whole message of an agent.
import { For, Show, type JSX } from "solid-js";

import type { JsonObject, MessageBlock } from "../../state";
import { Markdown } from "../../markdown/Markdown";
import { clock } from "../when";

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
  attachments?: JsonObject[] | undefined;
  note: string;
  isPending?: boolean;
  children?: JSX.Element;
}): JSX.Element {
  return (
    <article class="message" classList={{ "message-pending": props.isPending ?? false }} aria-label="You">
      <p class="message-text" dir="auto">
        {props.text}
      </p>
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

function nameOf(attachment: JsonObject): string {
  const name = attachment["name"] ?? attachment["uri"] ?? attachment["type"];
  return typeof name === "string" ? name : "attachment";
}
