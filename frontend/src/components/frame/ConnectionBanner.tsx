// The connection to the server: nothing while connected, one line otherwise.
import { createEffect, createSignal, Match, onCleanup, Switch, type JSX } from "solid-js";

import { checkConnection, connection } from "../../state";
import { Spinner } from "../controls/Spinner";
import { RetryIcon, WarningIcon } from "../icons";
import { labels } from "./labels";

/** An interruption shorter than this is not shown. */
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
      <Switch fallback={<span class="unseen">{connection.state === "live" ? labels.connected : ""}</span>}>
        <Match when={connection.state === "offline" && isLate()}>
          <p class="banner banner-bad">
            <WarningIcon />
            <span>{labels.disconnected}</span>
            <button type="button" class="text-button" onClick={() => checkConnection()}>
              <RetryIcon />
              {labels.retry}
            </button>
          </p>
        </Match>
        <Match when={connection.state === "reconnecting" && isLate()}>
          <p class="banner">
            <Spinner />
            <span>{labels.reconnecting}</span>
          </p>
        </Match>
        <Match when={connection.newVersion !== undefined}>
          <p class="banner banner-new">
            <span>{labels.newVersion(connection.newVersion ?? "")}</span>
            <button type="button" class="text-button" onClick={() => location.reload()}>
              <RetryIcon />
              {labels.reload}
            </button>
          </p>
        </Match>
      </Switch>
    </div>
  );
}
