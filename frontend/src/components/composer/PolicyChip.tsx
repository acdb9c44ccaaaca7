// What happens when the agent wants to do something: it asks, or it is approved without a person.
import { For, Show, type JSX } from "solid-js";

import { DownIcon, ShieldIcon, WarningIcon } from "../icons";

export type Policy = "ask" | "auto";

const WORDS: Record<Policy, string> = { ask: "Asks first", auto: "Approves by itself" };

export function PolicyChip(props: {
  /** The chat's own. */
  policy: string;
  /** The one that counts, where a setting is stronger. */
  counts?: string | undefined;
  /** False when it could not be done. */
  onChoose: (policy: Policy) => Promise<boolean>;
}): JSX.Element {
  const counts = () => props.counts ?? props.policy;
  const asks = () => counts() !== "auto";
  const isFixed = () => counts() !== props.policy;
  return (
    <label
      class="select policy"
      classList={{ "policy-auto": !asks() }}
      data-testid="policy"
      data-policy={counts()}
      title={explain(asks(), isFixed())}
    >
      <Show when={asks()} fallback={<WarningIcon />}>
        <ShieldIcon />
      </Show>
      <span class="unseen">What the agent may do without you</span>
      <select
        disabled={isFixed()}
        value={counts()}
        onChange={async (event) => {
          const select = event.currentTarget;
          if (!(await props.onChoose(select.value as Policy))) select.value = counts();
        }}
      >
        <For each={Object.entries(WORDS)}>
          {([policy, words]) => (
            <option value={policy} selected={policy === counts()}>
              {words}
            </option>
          )}
        </For>
      </select>
      <Show when={!isFixed()}>
        <DownIcon />
      </Show>
    </label>
  );
}

function explain(asks: boolean, isFixed: boolean): string {
  const what = asks
    ? "You are asked before the agent acts."
    : "What the agent asks for is approved without you, but for settings of other programs and what is outside the folder.";
  return isFixed ? `${what} The settings say so for every chat.` : what;
}
