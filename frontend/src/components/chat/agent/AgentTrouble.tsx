// An agent that ended between turns: shown at the composer, because no turn can report it.
import { Show, type JSX } from "solid-js";

import type { ChatState, TurnBlock } from "../../../state";
import { ErrorCard } from "../../blocks/ErrorCard";
import { RestartButtons } from "./RestartButtons";
import { statusOf } from "../status";
import { labels } from "../labels";

export function AgentTrouble(props: { state: ChatState }): JSX.Element {
  const isIdle = () => props.state.head.turn === null && props.state.head.questions.length === 0;
  const isTold = () => props.state.blocks.findLast((block): block is TurnBlock => block.kind === "turn")?.error !== undefined;
  const trouble = () => {
    const status = statusOf(props.state);
    return status.tone === "bad" && isIdle() && !isTold() ? status : undefined;
  };
  return (
    <Show when={trouble()}>
      {(status) => (
        <ErrorCard name={`${props.state.id}:trouble`} message={status().message ?? labels.agentFailed} hint={status().hint}>
          <RestartButtons />
        </ErrorCard>
      )}
    </Show>
  );
}
