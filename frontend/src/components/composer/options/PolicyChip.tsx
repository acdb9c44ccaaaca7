// The approval policy: the agent asks first, or is approved automatically.
import { For, Show, type JSX } from "solid-js";

import { DownIcon, ShieldIcon, WarningIcon } from "../../icons";
import { labels } from "../labels";

export type Policy = "ask" | "auto";

export function PolicyChip(props: {
  /** The chat's own policy. */
  policy: string;
  /** The policy in effect, if a setting is stricter. */
  counts?: string | undefined;
  /** False if it failed. */
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
      <span class="unseen">{labels.policyName}</span>
      <select
        disabled={isFixed()}
        value={counts()}
        onChange={async (event) => {
          const select = event.currentTarget;
          if (!(await props.onChoose(select.value as Policy))) select.value = counts();
        }}
      >
        <For each={Object.entries(labels.policy)}>
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
  const what = labels.policyHelp[asks ? "ask" : "auto"];
  return isFixed ? `${what} ${labels.policySet}` : what;
}
