// What an agent says.
import { For, Show, type JSX } from "solid-js";

import type { ContentPart, TextBlock } from "../../state";
import { Markdown } from "../../markdown/Markdown";
import { Fold } from "../controls/Fold";
import { useHere } from "../conversation/here";
import { RetryIcon } from "../icons";
import { MessagePart } from "./MessagePart";

export function TextBlockView(props: { block: TextBlock; isLast: boolean }): JSX.Element {
  return (
    <Show when={props.block.superseded} fallback={<Spoken block={props.block} isLast={props.isLast} />}>
      <Superseded block={props.block} />
    </Show>
  );
}

/** The server died over this answer, and the model was asked again. */
function Superseded(props: { block: TextBlock }): JSX.Element {
  const here = useHere();
  return (
    <div data-testid="superseded">
      <Fold
        name={`${here.chatId}:${props.block.pos}`}
        class="superseded"
        summary={
          <>
            <RetryIcon />
            <span>Unfinished answer, asked again after a restart</span>
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
  const here = useHere();
  const isFinished = () => !props.isLast || props.block.turn !== here.liveTurn;
  return (
    <article class="text" data-testid="block-text" dir="auto">
      <Markdown text={props.block.text} isFinished={isFinished()} />
      <Show when={props.block.parts}>
        {(parts) => (
          <For each={parts()}>{(part) => <MessagePart part={part.content as unknown as ContentPart} isProse={true} />}</For>
        )}
      </Show>
    </article>
  );
}
