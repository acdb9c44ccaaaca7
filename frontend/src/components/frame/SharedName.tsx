// A warning under a name that other servers on this machine share: they are sent our cookie, so it does not last.
import { Show, type JSX } from "solid-js";

import { session } from "../../state";

/** Only VoxPilot answers to it, and browsers find it by themselves. */
const OWN_NAME = "voxpilot.localhost";

export function SharedName(): JSX.Element {
  const hours = () => Math.max(1, Math.ceil(((session.expiresAt ?? 0) - Date.now()) / 3_600_000));
  const port = () => (location.port ? `:${location.port}` : "");
  return (
    <Show when={session.expiresAt !== undefined}>
      <p class="side-warning" role="note" data-testid="shared-name">
        Other servers on {location.hostname} are sent this sign-in too, so it ends within {hours()} hours. Sign in on{" "}
        <a href={`http://${OWN_NAME}${port()}/`}>{OWN_NAME}</a> to be alone.
      </p>
    </Show>
  );
}
