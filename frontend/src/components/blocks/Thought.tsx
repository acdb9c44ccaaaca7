// What an agent thought: one line that opens.
import { Show, type JSX } from "solid-js";

import type { ThoughtBlock } from "../../state";
import { Markdown } from "../../markdown/Markdown";
import { Fold } from "../controls/Fold";
import { Spinner } from "../controls/Spinner";
import { useHere } from "../conversation/here";
import { ThoughtIcon } from "../icons";
import { duration } from "../when";

export function Thought(props: { block: ThoughtBlock; until: number | undefined }): JSX.Element {
  const here = useHere();
  const isThinking = () => props.until === undefined && props.block.turn !== undefined && props.block.turn === here.liveTurn;
  const seconds = () => (props.until ?? here.lastAt) - props.block.at;
  return (
    <Fold
      name={`${here.chatId}:${props.block.pos}`}
      class="thought"
      summary={
        <>
          <ThoughtIcon />
          <Show when={isThinking()} fallback={<span>Thought for {duration(seconds())}</span>}>
            <span>Thinking</span>
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
