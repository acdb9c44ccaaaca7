// The message field: its text is stored until it is sent; the button sends or stops.
import { createMemo, createSignal, Show, type JSX } from "solid-js";

import type { AgentCommand, Draft } from "../../state";
import { Spinner } from "../controls/Spinner";
import { AttachIcon, SendIcon, StopIcon } from "../icons";
import { Attached } from "./Attached";
import { contentOf, hasRoom } from "./attaching";
import { chosen, offered } from "./commands";
import { COMMAND_LIST, commandId, CommandList } from "./CommandList";
import { labels } from "./labels";

export interface ComposerProps {
  draft: Draft;
  placeholder: string;
  isRunning: boolean;
  isStopping: boolean;
  /** A message is being sent and its text stays until it has arrived; nothing else is sent meanwhile. */
  isSending?: boolean;
  /** Esc was pressed once: the next one stops. */
  isAboutToStop?: boolean;
  /** The agent's slash commands. */
  commands?: readonly AgentCommand[];
  /** Selectors and chips next to the buttons. */
  children?: JSX.Element;
  /** The caller clears the draft once the text is stored elsewhere. */
  onSend: (text: string) => void;
  onStop: () => void;
  ref?: (input: HTMLTextAreaElement) => void;
}

/** On a touch screen Enter inserts a new line, since there is no Shift key to hold. */
const isTouch = () => matchMedia("(pointer: coarse)").matches;

export function Composer(props: ComposerProps): JSX.Element {
  /** How many attachments are being read right now. */
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
    if (!hasRoom(props.draft.attachments, files)) return setProblem(labels.tooManyFiles);
    const { draft } = props;
    setAttaching((count) => count + 1);
    const pieces = await Promise.all(files.map(contentOf)).catch(() => undefined);
    if (pieces === undefined) setProblem(labels.unreadableFiles);
    else await draft.attach(pieces);
    setAttaching((count) => count - 1);
  }
  function onPaste(event: ClipboardEvent) {
    const files = [...(event.clipboardData?.files ?? [])];
    // Copied tables and pages also contain a picture of themselves.
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

  /** Whether the key was handled by the command list. */
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
      aria-label={labels.message}
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
        <button type="button" class="icon-button" aria-label={labels.attachFiles} title={labels.attachFiles} onClick={() => picker.click()}>
          <AttachIcon />
        </button>
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
        <Show when={!props.isRunning || canSend()}>
          <button
            type="submit"
            class="round-button round-send"
            data-testid="composer-send"
            aria-label={props.isSending ? labels.sending : props.isRunning ? labels.queue : labels.send}
            title={props.isRunning ? labels.sendLater : labels.send}
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
