// The agents: those that are there, those that could be, and one's own.
import { createSignal, For, onMount, Show, type JSX } from "solid-js";

import { agents, refreshAgents, settingsProblem } from "../../state";
import { isThere } from "../agent/abilities";
import { Dialog } from "../controls/Dialog";
import { Skeleton } from "../controls/Skeleton";
import { PlusIcon, WarningIcon } from "../icons";
import { AgentCard } from "./AgentCard";
import { AgentEditor } from "./AgentEditor";

export function AgentsSection(): JSX.Element {
  const [isAdding, setAdding] = createSignal(false);
  const ids = () => (agents() ?? []).toSorted((one, other) => Number(isThere(other)) - Number(isThere(one))).map((one) => one.id);
  const find = (id: string) => agents()?.find((one) => one.id === id);
  // A version that was not known a moment ago may be by now.
  onMount(() => void refreshAgents().catch(() => undefined));
  return (
    <>
      <Show when={settingsProblem()}>
        {(problem) => (
          <p class="notice notice-banner notice-warning notice-line" role="alert">
            <WarningIcon />
            <span>The settings file cannot be used as it stands, so the last good settings count: {problem()}</span>
          </p>
        )}
      </Show>
      <Show when={agents()} fallback={<Skeleton lines={6} label="Looking for agents" />}>
        <ul class="cards">
          {/* By id, so that an open test stays open when the list comes anew. */}
          <For each={ids()}>{(id) => <Show when={find(id)}>{(agent) => <AgentCard agent={agent()} />}</Show>}</For>
        </ul>
      </Show>
      <p>
        <button type="button" class="button" onClick={() => setAdding(true)}>
          <PlusIcon />
          Add your own
        </button>
      </p>
      <Dialog isOpen={isAdding()} title="Add an agent" onClose={() => setAdding(false)}>
        <AgentEditor agent={undefined} onDone={() => setAdding(false)} />
      </Dialog>
    </>
  );
}
