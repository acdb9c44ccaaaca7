// A person's message, or in a restored history a whole message of an agent.
import { createSignal, Show, type JSX } from "solid-js";

import type { JsonObject, MessageBlock, MessageCut } from "../../../state";
import { Markdown } from "../../../markdown/Markdown";
import { useChatContext } from "../../conversation/chatContext";
import { clock } from "../../when";
import { Attachments } from "./Attachments";
import { SentAlong } from "./SentAlong";
import { wholeMessage } from "./wholeMessage";
import { labels } from "../labels";

/** How much of a long message is shown at first. */
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
        handover={props.block.handover}
        below={props.block.context && <SentAlong id={props.block.id} sent={props.block.context} />}
      />
    </Show>
  );
}

/** Also used for messages that are still being sent. */
export function PersonMessage(props: {
  text: string;
  attachments?: readonly JsonObject[] | undefined;
  cutAt?: MessageCut | undefined;
  /** There is more text, but the event that holds it is unknown. */
  isPart?: boolean;
  size?: number | undefined;
  note: string;
  isPending?: boolean;
  /** What went along because somebody else answered before. */
  handover?: string | undefined;
  /** Below its time and state. */
  below?: JSX.Element;
  children?: JSX.Element;
}): JSX.Element {
  const context = useChatContext();
  const [whole, setWhole] = createSignal<string>();
  const [state, setState] = createSignal<string>(labels.showAll);
  const beginning = () => props.text.split("\n", LINES_AT_FIRST).join("\n").slice(0, CHARACTERS_AT_FIRST);
  const isLong = () => beginning().length < props.text.length || props.cutAt?.text !== undefined;
  async function showAll() {
    const seq = props.cutAt?.text;
    if (seq === undefined) return setWhole(props.text);
    setState(labels.loading);
    await wholeMessage(context.chatId, seq).then(({ text }) => setWhole(text), () => setState(labels.tryAgain));
  }
  return (
    <article class="message" classList={{ "message-pending": props.isPending ?? false }} aria-label={labels.you}>
      <Show when={props.text}>
        <p class="message-text" dir="auto">
          {whole() ?? beginning()}
          <Show when={isLong() && whole() === undefined}>
            …
            <button type="button" class="text-button" disabled={state() === labels.loading} onClick={() => void showAll()}>
              {state()}
            </button>
          </Show>
          <Show when={props.isPart && (!isLong() || whole() !== undefined)}>…</Show>
        </p>
      </Show>
      <Show when={props.attachments?.length}>
        <Attachments attachments={props.attachments!} cutAt={props.cutAt?.attachments} size={props.size} />
      </Show>
      <Show when={props.handover}>
        <details class="message-handover" data-testid="message-handover">
          <summary>{labels.handover}</summary>
          <p dir="auto">{props.handover}</p>
        </details>
      </Show>
      <p class="message-note">
        {props.note}
        <Show when={props.isPart}> · {labels.partial}</Show>
        {props.children}
      </p>
      {props.below}
    </article>
  );
}
