// A person's message; in history also a whole message of an agent.
import { createSignal, Show, type JSX } from "solid-js";

import type { JsonObject, MessageBlock, MessageCut } from "../../state";
import { Markdown } from "../../markdown/Markdown";
import { useHere } from "../conversation/here";
import { clock } from "../when";
import { Attachments } from "./Attachments";
import { wholeMessage } from "./wholeMessage";

/** Of a longer message, this much is shown at first. */
const LINES_AT_FIRST = 24;
const CHARACTERS_AT_FIRST = 2400;

export function Message(props: { block: MessageBlock }): JSX.Element {
  return (
    <Show when={props.block.role === "user"} fallback={<Markdown text={props.block.text} isFinished={true} />}>
      <PersonMessage
        text={props.block.text}
        attachments={props.block.attachments}
        cutAt={props.block.cut_at}
        isPart={props.block.cut === true && props.block.cut_at === undefined}
        size={props.block.size}
        note={clock(props.block.at)}
      />
    </Show>
  );
}

/** Also drawn for messages that are still on their way. */
export function PersonMessage(props: {
  text: string;
  attachments?: readonly JsonObject[] | undefined;
  cutAt?: MessageCut | undefined;
  /** There is more of it, and it is not known where. */
  isPart?: boolean;
  size?: number | undefined;
  note: string;
  isPending?: boolean;
  children?: JSX.Element;
}): JSX.Element {
  const here = useHere();
  const [whole, setWhole] = createSignal<string>();
  const [state, setState] = createSignal<"Show all" | "Loading…" | "Try again">("Show all");
  const beginning = () => props.text.split("\n", LINES_AT_FIRST).join("\n").slice(0, CHARACTERS_AT_FIRST);
  const isLong = () => beginning().length < props.text.length || props.cutAt?.text !== undefined;
  async function showAll() {
    const seq = props.cutAt?.text;
    if (seq === undefined) return setWhole(props.text);
    setState("Loading…");
    await wholeMessage(here.chatId, seq).then(({ text }) => setWhole(text), () => setState("Try again"));
  }
  return (
    <article class="message" classList={{ "message-pending": props.isPending ?? false }} aria-label="You">
      <Show when={props.text}>
        <p class="message-text" dir="auto">
          {whole() ?? beginning()}
          <Show when={isLong() && whole() === undefined}>
            …
            <button type="button" class="text-button" disabled={state() === "Loading…"} onClick={() => void showAll()}>
              {state()}
            </button>
          </Show>
          <Show when={props.isPart && (!isLong() || whole() !== undefined)}>…</Show>
        </p>
      </Show>
      <Show when={props.attachments?.length}>
        <Attachments attachments={props.attachments!} cutAt={props.cutAt?.attachments} size={props.size} />
      </Show>
      <p class="message-note">
        {props.note}
        <Show when={props.isPart}> · Only a part of this message can be shown.</Show>
        {props.children}
      </p>
    </article>
  );
}
