// Where a person writes: text that is kept until it is sent, and a button that sends or stops.
import { Show, type JSX } from "solid-js";

import type { Draft } from "../../state";
import { SendIcon, StopIcon } from "../icons";

export interface ComposerProps {
  draft: Draft;
  placeholder: string;
  isRunning: boolean;
  isStopping: boolean;
  /** Esc was pressed once: the next one stops. */
  isAboutToStop?: boolean;
  /** What stands beside the buttons: selectors, chips. */
  children?: JSX.Element;
  onSend: (text: string) => void;
  onStop: () => void;
  ref?: (input: HTMLTextAreaElement) => void;
}

/** On glass, Enter makes a new line: there is no Shift to hold. */
const isTouch = () => matchMedia("(pointer: coarse)").matches;

export function Composer(props: ComposerProps): JSX.Element {
  const canSend = () => props.draft.text.trim() !== "";

  function send() {
    if (!canSend()) return;
    const text = props.draft.text.trim();
    props.draft.clear();
    props.onSend(text);
  }
  function onKey(event: KeyboardEvent) {
    if (event.key !== "Enter" || event.shiftKey || event.altKey || event.isComposing) return;
    if (isTouch() && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    send();
  }
  return (
    <form
      class="composer"
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="grow" data-text={props.draft.text}>
        <textarea
          ref={(input) => props.ref?.(input)}
          class="composer-input"
          data-testid="composer-input"
          rows="1"
          aria-label={props.placeholder}
          placeholder={props.placeholder}
          enterkeyhint="enter"
          value={props.draft.text}
          onInput={(event) => props.draft.set(event.currentTarget.value)}
          onKeyDown={onKey}
        />
      </div>
      <div class="composer-bar">
        <div class="composer-tools">{props.children}</div>
        <Show when={props.isAboutToStop}>
          <span class="composer-hint" role="status">
            Esc again stops
          </span>
        </Show>
        <Show when={props.isRunning}>
          <button
            type="button"
            class="round-button round-stop"
            data-testid="composer-stop"
            aria-label={props.isStopping ? "Stopping" : "Stop"}
            title="Stop (Esc twice)"
            disabled={props.isStopping}
            onClick={() => props.onStop()}
          >
            <StopIcon />
          </button>
        </Show>
        <Show when={!props.isRunning || canSend()}>
          <button
            type="submit"
            class="round-button round-send"
            data-testid="composer-send"
            aria-label={props.isRunning ? "Queue" : "Send"}
            title={props.isRunning ? "Send when this turn is done" : "Send"}
            disabled={!canSend()}
          >
            <SendIcon />
          </button>
        </Show>
      </div>
    </form>
  );
}
