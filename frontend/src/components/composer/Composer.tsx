// Where a person writes: text that is kept until it is sent, and a button that sends or stops.
import { createMemo, createSignal, Show, type JSX } from "solid-js";

import type { AgentCommand, Draft } from "../../state";
import { Spinner } from "../controls/Spinner";
import { AttachIcon, SendIcon, StopIcon } from "../icons";
import { Attached } from "./Attached";
import { contentOf, hasRoom, TOO_MUCH } from "./attaching";
import { chosen, offered } from "./commands";
import { COMMAND_LIST, commandId, CommandList } from "./CommandList";

export interface ComposerProps {
  draft: Draft;
  placeholder: string;
  isRunning: boolean;
  isStopping: boolean;
  /** What was sent is on its way, and its text stays until it has arrived: nothing is sent meanwhile. */
  isSending?: boolean;
  /** Esc was pressed once: the next one stops. */
  isAboutToStop?: boolean;
  /** What the agent does at a `/`. */
  commands?: readonly AgentCommand[];
  /** What stands beside the buttons: selectors, chips. */
  children?: JSX.Element;
  /** The draft is the caller's to clear, once the text is safe elsewhere. */
  onSend: (text: string) => void;
  onStop: () => void;
  ref?: (input: HTMLTextAreaElement) => void;
}

/** On glass, Enter makes a new line: there is no Shift to hold. */
const isTouch = () => matchMedia("(pointer: coarse)").matches;

export function Composer(props: ComposerProps): JSX.Element {
  /** How often something is being attached just now. */
  const [attaching, setAttaching] = createSignal(0);
  const isSomething = () => props.draft.text.trim() !== "" || props.draft.attachments.length > 0;
  const canSend = () => isSomething() && attaching() === 0 && !props.draft.isReading && !props.isSending;

  function send() {
    if (canSend()) props.onSend(props.draft.text.trim());
  }
  const [problem, setProblem] = createSignal("");
  let picker!: HTMLInputElement;
  /** From the picker, a paste or a drop. */
  async function attach(files: readonly File[]) {
    setProblem("");
    if (!hasRoom(props.draft.attachments, files)) return setProblem(TOO_MUCH);
    const { draft } = props;
    setAttaching((count) => count + 1);
    const pieces = await Promise.all(files.map(contentOf)).catch(() => undefined);
    if (pieces === undefined) setProblem("That could not be read: attach files, one by one, not folders.");
    else await draft.attach(pieces);
    setAttaching((count) => count - 1);
  }
  function onPaste(event: ClipboardEvent) {
    const files = [...(event.clipboardData?.files ?? [])];
    // A table or a page brings a picture of itself along.
    if (files.length === 0 || event.clipboardData?.types.includes("text/plain")) return;
    event.preventDefault();
    void attach(files);
  }
  const bringsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

  const [wished, setWished] = createSignal(0);
  const [dismissed, setDismissed] = createSignal("");
  const commands = createMemo(() =>
    props.draft.text === dismissed() ? [] : offered(props.commands ?? [], props.draft.text),
  );
  const at = () => Math.min(wished(), commands().length - 1);
  const choose = (command: AgentCommand) => props.draft.set(chosen(command));

  /** Whether the key was for the list of commands. */
  function isForList(event: KeyboardEvent): boolean {
    const command = commands()[at()];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!command || event.isComposing) return false;
    if (step !== undefined) setWished((at() + step + commands().length) % commands().length);
    else if (event.key === "Tab" || (event.key === "Enter" && props.draft.text.trim() !== `/${command.name}`)) choose(command);
    else if (event.key === "Escape") setDismissed(props.draft.text);
    else return false;
    event.preventDefault();
    return true;
  }
  function onKey(event: KeyboardEvent) {
    if (isForList(event)) return;
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
      onDragOver={(event) => bringsFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!bringsFiles(event)) return;
        event.preventDefault();
        void attach([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <CommandList commands={commands()} at={at()} onChoose={choose} />
      <div class="grow" data-text={props.draft.text}>
        <textarea
          ref={(input) => props.ref?.(input)}
          class="composer-input"
          data-testid="composer-input"
          rows="1"
          aria-label={props.placeholder}
          aria-autocomplete="list"
          aria-controls={commands().length > 0 ? COMMAND_LIST : undefined}
          aria-activedescendant={commands().length > 0 ? commandId(at()) : undefined}
          placeholder={props.placeholder}
          enterkeyhint="enter"
          value={props.draft.text}
          onInput={(event) => props.draft.set(event.currentTarget.value)}
          onKeyDown={onKey}
          onPaste={onPaste}
        />
      </div>
      <Attached
        attachments={props.draft.attachments}
        onRemove={(one) => props.draft.detach([one])}
      />
      <Show when={problem() || props.draft.trouble}>
        {(words) => (
          <p class="field-problem attached-problem" role="alert">
            {words()}
          </p>
        )}
      </Show>
      <div class="composer-bar">
        <input
          ref={picker}
          type="file"
          hidden
          multiple
          accept="image/*,*/*"
          data-testid="composer-files"
          onChange={() => {
            void attach([...(picker.files ?? [])]);
            picker.value = "";
          }}
        />
        <button type="button" class="icon-button" aria-label="Attach files" title="Attach files" onClick={() => picker.click()}>
          <AttachIcon />
        </button>
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
            aria-label={props.isSending ? "Sending" : props.isRunning ? "Queue" : "Send"}
            title={props.isRunning ? "Send when this turn is done" : "Send"}
            disabled={!canSend()}
          >
            <Show when={props.isSending} fallback={<SendIcon />}>
              <Spinner />
            </Show>
          </button>
        </Show>
      </div>
    </form>
  );
}
