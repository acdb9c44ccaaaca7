// Words of an agent at work, as it printed them, in a box that keeps its own end in view while they come.
import { createEffect, For, on, Show, type JSX } from "solid-js";

import type { ContentPart, TextBlock } from "../../state";
import { visibleText } from "../question/visibleText";
import { ContentPartView } from "../tool/ContentPart";

/** This close to the end counts as being there. */
const NEAR_PIXELS = 24;

export function AgentStream(props: { block: TextBlock; isLive: boolean }): JSX.Element {
  let box!: HTMLPreElement;
  let isAtEnd = true;
  createEffect(
    on(
      () => props.block.text,
      () => {
        if (props.isLive && isAtEnd) box.scrollTop = box.scrollHeight;
      },
    ),
  );
  return (
    <>
      <pre
        class="copilot-stream"
        data-testid="copilot-stream"
        tabindex="0"
        aria-label="The agent’s words"
        dir="auto"
        ref={box}
        onScroll={() => (isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR_PIXELS)}
      >
        {visibleText(props.block.text)}
      </pre>
      <Show when={props.block.parts}>
        {(parts) => (
          <For each={parts()}>
            {(part) => <ContentPartView part={part.content as unknown as ContentPart} isProse={false} />}
          </For>
        )}
      </Show>
    </>
  );
}
