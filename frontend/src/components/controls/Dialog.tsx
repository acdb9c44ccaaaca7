// A dialog: centred on a desktop, a bottom sheet on a phone. Returns the focus when it closes.
import { createEffect, onCleanup, Show, type JSX } from "solid-js";

import { CloseIcon } from "../icons";

export function Dialog(props: {
  isOpen: boolean;
  title: string;
  onClose: () => void;
  class?: string;
  /** The content has its own heading. */
  isBare?: boolean;
  children: JSX.Element;
}): JSX.Element {
  return (
    <Show when={props.isOpen}>
      <Opened {...props} />
    </Show>
  );
}

function Opened(props: Parameters<typeof Dialog>[0]): JSX.Element {
  let dialog!: HTMLDialogElement;
  const before = document.activeElement;
  createEffect(() => dialog.showModal());
  onCleanup(() => {
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  });
  return (
    <dialog
      ref={dialog}
      class={props.class}
      aria-label={props.title}
      onClose={() => props.onClose()}
      onClick={(event) => event.target === dialog && props.onClose()}
    >
      <Show when={!props.isBare}>
        <header class="dialog-head">
          <h2>{props.title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => props.onClose()}>
            <CloseIcon />
          </button>
        </header>
      </Show>
      {props.children}
    </dialog>
  );
}
