// Changes to the settings file made outside the page that await approval.
import { For, Show, type JSX } from "solid-js";

import { decidePending, session, settings } from "../../state";
import { createAttempt } from "../controls/attempt";
import { WarningIcon } from "../icons";
import { labels } from "./labels";

export function PendingChanges(): JSX.Element {
  const attempt = createAttempt();
  const decide = (accept: boolean) => void attempt.run(() => decidePending(accept));
  return (
    <Show when={settings()?.pending}>
      {(pending) => (
        <section class="card pending" aria-label={labels.pending.name} data-testid="pending-changes">
          <div class="card-head">
            <WarningIcon />
            <h2>{labels.pending.title}</h2>
          </div>
          <p class="quiet">
            {labels.pending.help}{" "}
            <code>{settings()?.path}</code>.
          </p>
          <dl class="pending-list">
            <For each={pending().changes}>
              {(change) => (
                <div class="pending-change">
                  <dt class="mono">{change.name}</dt>
                  <dd>
                    <span class="quiet small">{labels.pending.now}</span> <span class="pending-value mono">{change.before}</span>
                  </dd>
                  <dd>
                    <span class="quiet small">{labels.pending.after}</span> <span class="pending-value mono">{change.after}</span>
                  </dd>
                </div>
              )}
            </For>
          </dl>
          <Show when={attempt.problem()}>
            <p class="field-problem" role="alert">
              {attempt.problem()}
            </p>
          </Show>
          <Show
            when={session.isConfirmed}
            fallback={<p class="quiet">{labels.pending.unconfirmed}</p>}
          >
            <div class="card-foot">
              <button type="button" class="button button-main" disabled={attempt.isBusy()} onClick={() => decide(false)}>
                {labels.pending.keep}
              </button>
              <button type="button" class="button button-bad" disabled={attempt.isBusy()} onClick={() => decide(true)}>
                {labels.pending.accept}
              </button>
            </div>
          </Show>
        </section>
      )}
    </Show>
  );
}
