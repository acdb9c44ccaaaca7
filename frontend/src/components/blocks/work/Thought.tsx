// An agent's thought: one line that expands.
import { Show, type JSX } from "solid-js";

import type { ThoughtBlock } from "../../../state";
import { Markdown } from "../../../markdown/Markdown";
import { Fold } from "../../controls/fold/Fold";
import { Spinner } from "../../controls/Spinner";
import { useChatContext } from "../../conversation/chatContext";
import { ThoughtIcon } from "../../icons";
import { duration } from "../../when";
import { labels } from "../labels";

export function Thought(props: { block: ThoughtBlock; until: number | undefined }): JSX.Element {
  const context = useChatContext();
  const isThinking = () => props.until === undefined && props.block.turn !== undefined && props.block.turn === context.liveTurn;
  const seconds = () => (props.until ?? context.lastAt) - props.block.at;
  return (
    <Fold
      name={`${context.chatId}:${props.block.pos}`}
      class="thought"
      summary={
        <>
          <ThoughtIcon />
          <Show when={isThinking()} fallback={<span>{labels.thoughtFor(duration(seconds()))}</span>}>
            <span>{labels.thinking}</span>
            <Spinner />
          </Show>
        </>
      }
    >
      <div class="thought-text" dir="auto">
        <Markdown text={props.block.text} isFinished={!isThinking()} />
      </div>
    </Fold>
  );
}
