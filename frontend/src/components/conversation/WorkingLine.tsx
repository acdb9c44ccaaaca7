// The last line while a turn runs or an agent starts: what is happening, and for how long. Keeps its space when idle.
import { createSignal, onCleanup, Show, type JSX } from "solid-js";

import type { ChatState } from "../../state";
import { heldUnder } from "../../state/named";
import { Spinner } from "../controls/Spinner";
import { visibleText } from "../question/content/visibleText";
import { duration } from "../when";
import { useChatContext } from "./chatContext";

export function WorkingLine(props: { state: ChatState }): JSX.Element {
  const context = useChatContext();
  const turn = () => props.state.head.turn;
  const waits = () => props.state.head.questions.length > 0;
  /** The assistant may delegate to any agent. */
  const agent = () => {
    const { agents, agent } = props.state.head;
    if (turn()?.by !== "assistant") return turn()?.agent ?? agent;
    return Object.keys(agents).find((one) => agents[one]?.status === "starting");
  };
  const known = () => heldUnder(props.state.head.agents, agent() ?? "");
  const isGettingReady = () => known()?.status === "starting" || (known()?.status === "connected" && !!known()?.message);
  const words = () => {
    if (turn()?.stopping) return "Stopping";
    if (isGettingReady() && known()?.message) return visibleText(known()!.message!.replace(/\.$/, ""));
    if (known()?.status === "starting") return `Starting ${context.agentName(agent())}`;
    return turn()?.by === "assistant" ? "The assistant is working" : `${context.agentName(agent())} is working`;
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
