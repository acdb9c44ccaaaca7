// Streamed text of a working agent, in a box that follows its end.
import { For, Show, type JSX } from "solid-js";

import type { TextBlock } from "../../../state";
import { followEnd } from "../../controls/followEnd";
import { visibleText } from "../../question/content/visibleText";
import { MessagePart } from "../message/MessagePart";
import { labels } from "../labels";

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
        aria-label={labels.agentOutput}
        dir="auto"
        ref={box}
        onScroll={scrolled}
      >
        {visibleText(props.block.text)}
      </pre>
      <Show when={props.block.parts}>
        {(parts) => (
          <For each={parts()}>
            {(part) => <MessagePart part={part.content} isProse={false} />}
          </For>
        )}
      </Show>
    </>
  );
}
