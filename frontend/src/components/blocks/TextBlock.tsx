// Text of an agent.
import { For, Show, type JSX } from "solid-js";

import type { TextBlock } from "../../state";
import { Markdown } from "../../markdown/Markdown";
import { Fold } from "../controls/fold/Fold";
import { useChatContext } from "../conversation/chatContext";
import { RetryIcon } from "../icons";
import { MessagePart } from "./message/MessagePart";
import { labels } from "./labels";

export function TextBlockView(props: { block: TextBlock; isLast: boolean }): JSX.Element {
  return (
    <Show when={props.block.superseded} fallback={<Spoken block={props.block} isLast={props.isLast} />}>
      <Superseded block={props.block} />
    </Show>
  );
}

/** The server stopped during this answer, and the model was asked again. */
function Superseded(props: { block: TextBlock }): JSX.Element {
  const context = useChatContext();
  return (
    <div data-testid="superseded">
      <Fold
        name={`${context.chatId}:${props.block.pos}`}
        class="superseded"
        summary={
          <>
            <RetryIcon />
            <span>{labels.superseded}</span>
          </>
        }
      >
        <div class="superseded-text" dir="auto">
          <Markdown text={props.block.text} isFinished={true} />
        </div>
      </Fold>
    </div>
  );
}

function Spoken(props: { block: TextBlock; isLast: boolean }): JSX.Element {
  const context = useChatContext();
  const isFinished = () => !props.isLast || props.block.turn !== context.liveTurn;
  return (
    <article class="text" data-testid="block-text" dir="auto">
      <Markdown text={props.block.text} isFinished={isFinished()} />
      <Show when={props.block.parts}>
        {(parts) => (
          <For each={parts()}>{(part) => <MessagePart part={part.content} isProse={true} />}</For>
        )}
      </Show>
    </article>
  );
}
