// The buttons below the message field.
import { Show, type JSX } from "solid-js";

import { Spinner } from "../controls/Spinner";
import { AtIcon, AttachIcon, SendIcon, StopIcon } from "../icons";
import { labels } from "./labels";
import { labels as mentionLabels } from "./mentions/labels";

export function ComposerBar(props: {
  isRunning: boolean;
  isStopping: boolean;
  isSending?: boolean;
  isAboutToStop?: boolean;
  canSend: boolean;
  /** Hidden file inputs, opened by buttons. */
  chooser: HTMLInputElement;
  camera: HTMLInputElement;
  /** Undefined if nothing but files can be added. */
  onAdd: (() => void) | undefined;
  onStop: () => void;
  children?: JSX.Element;
}): JSX.Element {
  return (
    <div class="composer-bar">
      {props.chooser}
      {props.camera}
      <button type="button" class="icon-button" aria-label={labels.attachFiles} title={labels.attachFiles} onClick={() => props.chooser.click()}>
        <AttachIcon />
      </button>
      <Show when={props.onAdd}>
        <button
          type="button"
          class="icon-button"
          data-testid="composer-add"
          aria-label={mentionLabels.add}
          aria-haspopup="dialog"
          title={mentionLabels.addHint}
          onClick={() => props.onAdd?.()}
        >
          <AtIcon />
        </button>
      </Show>
      <div class="composer-tools">{props.children}</div>
      <Show when={props.isAboutToStop}>
        <span class="composer-hint" role="status">
          {labels.escAgain}
        </span>
      </Show>
      <Show when={props.isRunning}>
        <button
          type="button"
          class="round-button round-stop"
          data-testid="composer-stop"
          aria-label={props.isStopping ? labels.stopping : labels.stop}
          title={labels.stopHint}
          disabled={props.isStopping}
          onClick={() => props.onStop()}
        >
          <StopIcon />
        </button>
      </Show>
      <Show when={!props.isRunning || props.canSend}>
        <button
          type="submit"
          class="round-button round-send"
          data-testid="composer-send"
          aria-label={props.isSending ? labels.sending : props.isRunning ? labels.queue : labels.send}
          title={props.isRunning ? labels.sendLater : labels.send}
          disabled={!props.canSend}
        >
          <Show when={props.isSending} fallback={<SendIcon />}>
            <Spinner />
          </Show>
        </button>
      </Show>
    </div>
  );
}
