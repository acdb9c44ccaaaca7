// One line that opens. Its content is made when it is first opened, not before.
import { createEffect, createSignal, Show, type JSX } from "solid-js";

import { ChevronIcon } from "../icons";
import { opened } from "./opened";

export function Fold(props: {
  /** Under this name it stays as the person left it. */
  name: string;
  summary: JSX.Element;
  /** Open until a person says otherwise. */
  isOpenAtFirst?: boolean;
  class?: string;
  children: JSX.Element;
}): JSX.Element {
  const kept = () => opened(props.name);
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
