// The last line while a turn runs or an agent gets ready: what is going on, and for how long. It keeps its place when idle.
import { createSignal, onCleanup, Show, type JSX } from "solid-js";

import type { ChatState } from "../../state";
import { Spinner } from "../controls/Spinner";
import { visibleText } from "../question/visibleText";
import { duration } from "../when";
import { useHere } from "./here";

export function WorkingLine(props: { state: ChatState }): JSX.Element {
  const here = useHere();
  const turn = () => props.state.head.turn;
  const waits = () => props.state.head.questions.length > 0;
  const who = () => here.agentName(turn()?.agent ?? props.state.head.agent);
  const known = () => props.state.head.agents[turn()?.agent ?? props.state.head.agent ?? ""];
  const isGettingReady = () => known()?.status === "starting" || (known()?.status === "connected" && !!known()?.message);
  const words = () => {
    if (turn()?.stopping) return "Stopping";
    if (isGettingReady() && known()?.message) return visibleText(known()!.message!.replace(/\.$/, ""));
    return known()?.status === "starting" ? `Starting ${who()}` : `${who()} is working`;
  };
  return (
    <div class="row row-working">
      <Show when={(turn() || isGettingReady()) && !waits()}>
        <p class="working">
          <Spinner />
          <span>{words()}</span>
          <Show when={turn()}>{(running) => <Elapsed since={running().since} />}</Show>
        </p>
      </Show>
    </div>
  );
}

function Elapsed(props: { since: number }): JSX.Element {
  const [now, setNow] = createSignal(Date.now() / 1000);
  const timer = setInterval(() => setNow(Date.now() / 1000), 1000);
  onCleanup(() => clearInterval(timer));
  return (
    <Show when={now() - props.since >= 3}>
      <span class="quiet" aria-hidden="true">
        {duration(Math.floor(now() - props.since))}
      </span>
    </Show>
  );
}
