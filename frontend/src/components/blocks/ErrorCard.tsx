// What went wrong, what to do now, and the rest folded away.
import { For, Show, type JSX } from "solid-js";

import type { Json } from "../../state";
import { Fold } from "../controls/Fold";
import { WarningIcon } from "../icons";
import { visibleText } from "../question/visibleText";

export function ErrorCard(props: {
  name: string;
  message: string;
  hint?: string | undefined;
  /** Whatever more is known, by its name. */
  details?: Record<string, Json>;
  children?: JSX.Element;
}): JSX.Element {
  const details = () => Object.entries(props.details ?? {}).filter(([, value]) => value !== null && value !== "");
  return (
    <div class="error-card" role="group" aria-label="Error">
      <p class="error-message">
        <WarningIcon />
        <strong>{visibleText(props.message)}</strong>
      </p>
      <Show when={props.hint}>{(hint) => <p class="error-hint">{visibleText(hint())}</p>}</Show>
      <div class="error-actions">{props.children}</div>
      <Show when={details().length > 0}>
        <Fold name={props.name} summary={<span class="quiet">Details</span>}>
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
