// An error: what happened, what to do, and collapsed details.
import { For, Show, type JSX } from "solid-js";

import type { JsonObject } from "../../state";
import { Fold } from "../controls/fold/Fold";
import { Hint } from "../controls/Hint";
import { WarningIcon } from "../icons";
import { visibleText } from "../question/content/visibleText";
import { labels } from "./labels";

export function ErrorCard(props: {
  name: string;
  message: string;
  hint?: string | undefined;
  /** Further details by name. */
  details?: JsonObject;
  children?: JSX.Element;
}): JSX.Element {
  const details = () => Object.entries(props.details ?? {}).filter(([, value]) => value !== null && value !== "");
  return (
    <div class="error-card" role="group" aria-label={labels.error}>
      <p class="error-message">
        <WarningIcon />
        <strong>{visibleText(props.message)}</strong>
      </p>
      <Show when={props.hint}>{(hint) => <p class="error-hint"><Hint text={hint()} /></p>}</Show>
      <div class="error-actions">{props.children}</div>
      <Show when={details().length > 0}>
        <Fold name={props.name} summary={<span class="quiet">{labels.details}</span>}>
          <dl class="error-details">
            <For each={details()}>
              {([name, value]) => (
                <>
                  <dt>{name.replaceAll("_", " ")}</dt>
                  <dd>
                    <pre>{visibleText(typeof value === "string" ? value : JSON.stringify(value, null, 2))}</pre>
                  </dd>
                </>
              )}
            </For>
          </dl>
        </Fold>
      </Show>
    </div>
  );
}
