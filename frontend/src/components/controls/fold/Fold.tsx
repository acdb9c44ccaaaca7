// One line that expands. Its content is created when it is first expanded.
import { createEffect, createSignal, Show, type JSX } from "solid-js";

import { ChevronIcon } from "../../icons";
import { foldState } from "./foldState";

export function Fold(props: {
  /** The name under which its state is remembered. */
  name: string;
  summary: JSX.Element;
  /** Expanded until a person toggles it. */
  isOpenAtFirst?: boolean;
  class?: string;
  children: JSX.Element;
}): JSX.Element {
  const kept = () => foldState(props.name);
  const isOpen = () => kept().wish ?? props.isOpenAtFirst ?? false;
  const [wasOpen, setWasOpen] = createSignal(false);
  createEffect(() => isOpen() && setWasOpen(true));
  return (
    <details
      class={props.class ? `fold ${props.class}` : "fold"}
      open={isOpen()}
      onToggle={(event) => {
        if (event.currentTarget.open !== isOpen()) kept().set(event.currentTarget.open);
      }}
    >
      <summary class="fold-line">
        {props.summary}
        <span class="fold-sign">
          <ChevronIcon />
        </span>
      </summary>
      <Show when={isOpen() || wasOpen()}>
        <div class="fold-body">{props.children}</div>
      </Show>
    </details>
  );
}
