// The agents: installed, known and custom.
import { createSignal, For, onMount, Show, type JSX } from "solid-js";

import { agents, refreshAgents, settingsProblem } from "../../../state";
import { isThere } from "../../agent/abilities";
import { Dialog } from "../../controls/Dialog";
import { Skeleton } from "../../controls/Skeleton";
import { PlusIcon, WarningIcon } from "../../icons";
import { AgentCard } from "./AgentCard";
import { AgentEditor } from "./AgentEditor";
import { NewChats } from "./NewChats";
import { labels } from "../labels";

export function AgentsSection(): JSX.Element {
  const [isAdding, setAdding] = createSignal(false);
  const ids = () => (agents() ?? []).toSorted((one, other) => Number(isThere(other)) - Number(isThere(one))).map((one) => one.id);
  const find = (id: string) => agents()?.find((one) => one.id === id);
  // A version that was unknown may be known by now.
  onMount(() => void refreshAgents().catch(() => undefined));
  return (
    <>
      <Show when={settingsProblem()}>
        {(problem) => (
          <p class="notice notice-banner notice-warning notice-line" role="alert">
            <WarningIcon />
            <span>{labels.agents.fileProblem(problem())}</span>
          </p>
        )}
      </Show>
      <NewChats />
      <Show when={agents()} fallback={<Skeleton lines={6} label={labels.agents.loading} />}>
        <ul class="cards">
          {/* By id, so that an open test stays open when the list is reloaded. */}
          <For each={ids()}>{(id) => <Show when={find(id)}>{(agent) => <AgentCard agent={agent()} />}</Show>}</For>
        </ul>
      </Show>
      <p>
        <button type="button" class="button" onClick={() => setAdding(true)}>
          <PlusIcon />
          {labels.agents.addOwn}
        </button>
      </p>
      <Dialog isOpen={isAdding()} title={labels.agents.addTitle} onClose={() => setAdding(false)}>
        <AgentEditor agent={undefined} onDone={() => setAdding(false)} />
      </Dialog>
    </>
  );
}
