// How the link to the server is: nothing when all is well, one line when it is not.
import { createEffect, createSignal, Match, onCleanup, Switch, type JSX } from "solid-js";

import { checkConnection, connection } from "../../state";
import { Spinner } from "../controls/Spinner";
import { RetryIcon, WarningIcon } from "../icons";

/** A link that is back within this time was never worth a word. */
const PATIENCE_MILLISECONDS = 1500;

export function ConnectionBanner(): JSX.Element {
  const [isLate, setLate] = createSignal(false);
  createEffect(() => {
    setLate(false);
    if (connection.state === "live") return;
    const timer = setTimeout(() => setLate(true), connection.state === "offline" ? 0 : PATIENCE_MILLISECONDS);
    onCleanup(() => clearTimeout(timer));
  });
  return (
    <div class="connection" role="status" data-testid="connection-state" data-state={connection.state}>
      <Switch fallback={<span class="unseen">{connection.state === "live" ? "Connected" : ""}</span>}>
        <Match when={connection.state === "offline" && isLate()}>
          <p class="banner banner-bad">
            <WarningIcon />
            <span>No connection to the server. What you write is kept.</span>
            <button type="button" class="text-button" onClick={() => checkConnection()}>
              <RetryIcon />
              Try now
            </button>
          </p>
        </Match>
        <Match when={connection.state === "reconnecting" && isLate()}>
          <p class="banner">
            <Spinner />
            <span>Reconnecting…</span>
          </p>
        </Match>
        <Match when={connection.newVersion !== undefined}>
          <p class="banner banner-new">
            <span>VoxPilot {connection.newVersion} is running. Reload to use it; drafts are kept.</span>
            <button type="button" class="text-button" onClick={() => location.reload()}>
              <RetryIcon />
              Reload
            </button>
          </p>
        </Match>
      </Switch>
    </div>
  );
}
