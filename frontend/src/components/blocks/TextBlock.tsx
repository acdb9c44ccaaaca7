// What an agent says.
import { For, Show, type JSX } from "solid-js";

import type { ContentPart, TextBlock } from "../../state";
import { Markdown } from "../../markdown/Markdown";
import { useHere } from "../conversation/here";
import { ContentPartView } from "../tool/ContentPart";

export function TextBlockView(props: { block: TextBlock; isLast: boolean }): JSX.Element {
  const here = useHere();
  const isFinished = () => !props.isLast || props.block.turn !== here.liveTurn;
  return (
    <article class="text" data-testid="block-text" dir="auto">
      <Markdown text={props.block.text} isFinished={isFinished()} />
      <Show when={props.block.parts}>
        {(parts) => (
          <For each={parts()}>
            {(part) => <ContentPartView part={part.content as unknown as ContentPart} isProse={true} />}
          </For>
        )}
      </Show>
    </article>
  );
}
