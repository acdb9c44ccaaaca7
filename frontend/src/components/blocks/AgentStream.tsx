// Words of an agent at work, as it printed them, in a box that keeps its own end in view while they come.
import { For, Show, type JSX } from "solid-js";

import type { ContentPart, TextBlock } from "../../state";
import { followEnd } from "../controls/followEnd";
import { visibleText } from "../question/visibleText";
import { MessagePart } from "./MessagePart";

export function AgentStream(props: { block: TextBlock; isLive: boolean }): JSX.Element {
  let box!: HTMLPreElement;
  const scrolled = followEnd(
    () => box,
    () => props.block.text,
    () => props.isLive,
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
        onScroll={scrolled}
      >
        {visibleText(props.block.text)}
      </pre>
      <Show when={props.block.parts}>
        {(parts) => (
          <For each={parts()}>
            {(part) => <MessagePart part={part.content as unknown as ContentPart} isProse={false} />}
          </For>
        )}
      </Show>
    </>
  );
}
