// The message field: its text is stored until it is sent; the button sends or stops.
import { batch, createSignal, Show, type JSX } from "solid-js";

import type { AgentCommand, Draft } from "../../state";
import { Attached } from "./Attached";
import { ComposerBar } from "./ComposerBar";
import { createFileAttaching } from "./attachFiles";
import { labels } from "./labels";
import { AddSheet } from "./mentions/AddSheet";
import { entryId } from "./mentions/EntryList";
import { attachReference, createPicker, type Surroundings } from "./mentions/picker";
import { isShown, PICKER_LIST, PickerAbove } from "./mentions/PickerAbove";
import { skillReference } from "./mentions/references";
import { createPastedText } from "./quotes/pastedText";
import { PastedOffer } from "./quotes/PastedOffer";
import { QuoteDialog } from "./quotes/QuoteDialog";
import { createSuggestions } from "./skills/suggestions";
import { SuggestedSkills } from "./skills/SuggestedSkills";

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
  /** Where to look for files, skills and chats; nothing can be mentioned without it. */
  about?: Surroundings | undefined;
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
  let field!: HTMLTextAreaElement;
  const files = createFileAttaching(() => props.draft);
  const picker = createPicker({
    draft: () => props.draft,
    about: () => props.about,
    commands: () => props.commands ?? [],
    field: () => field,
  });
  const pasted = createPastedText(() => props.draft);
  const suggestions = createSuggestions({
    workspace: () => props.about?.workspace,
    text: () => props.draft.text,
    chosen: () => new Set(props.draft.attachments.flatMap((one) => (one["type"] === "skill" ? String(one["id"]) : []))),
  });
  const [dialog, setDialog] = createSignal<"add" | "quote">();
  const isSomething = () => props.draft.text.trim() !== "" || props.draft.attachments.length > 0;
  const canSend = () => isSomething() && !files.isBusy() && !props.draft.isReading && !props.isSending;

  function send() {
    if (canSend()) props.onSend(props.draft.text.trim());
  }
  function onPaste(event: ClipboardEvent) {
    const brought = event.clipboardData;
    if (!brought) return;
    const given = [...brought.files];
    // Copied tables and pages also contain a picture of themselves.
    if (given.length > 0 && !brought.types.includes("text/plain")) void files.attach(given);
    else if (!props.about || !pasted.take(brought)) return;
    event.preventDefault();
  }
  const bringsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  function onDrop(event: DragEvent) {
    const brought = event.dataTransfer;
    if (bringsFiles(event)) void files.attach([...(brought?.files ?? [])]);
    else if (!brought || !props.about || !pasted.take(brought)) return;
    event.preventDefault();
  }
  function onKey(event: KeyboardEvent) {
    if (picker.takeKey(event)) return;
    if (event.key !== "Enter" || event.shiftKey || event.altKey || event.isComposing) return;
    if (isTouch() && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    send();
  }
  const active = () => (isShown(picker) && picker.at() >= 0 ? entryId(PICKER_LIST, picker.at()) : undefined);
  const fileInput = (how: Partial<{ capture: "environment"; accept: string; "data-testid": string; multiple: boolean }>) =>
    (
      <input
        type="file"
        hidden
        {...how}
        onChange={(event) => {
          void files.attach([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    ) as HTMLInputElement;
  const chooser = fileInput({ multiple: true, accept: "image/*,*/*", "data-testid": "composer-files" });
  const camera = fileInput({ capture: "environment", accept: "image/*", "data-testid": "composer-camera" });
  return (
    <>
      <form
        class="composer"
        aria-label={labels.message}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
        onDragOver={(event) => bringsFiles(event) && event.preventDefault()}
        onDrop={onDrop}
      >
        <PickerAbove picker={picker} />
        <div class="grow" data-text={props.draft.text}>
          <textarea
            ref={(input) => {
              field = input;
              props.ref?.(input);
            }}
            class="composer-input"
            data-testid="composer-input"
            rows="1"
            aria-label={props.placeholder}
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls={active() && PICKER_LIST}
            aria-activedescendant={active()}
            placeholder={props.placeholder}
            enterkeyhint="enter"
            value={props.draft.text}
            onInput={(event) =>
              batch(() => {
                props.draft.set(event.currentTarget.value);
                picker.follow(event.currentTarget);
              })
            }
            onKeyUp={(event) => picker.follow(event.currentTarget)}
            onClick={(event) => picker.follow(event.currentTarget)}
            onFocus={(event) => picker.follow(event.currentTarget)}
            onBlur={() => picker.leave()}
            onKeyDown={onKey}
            onPaste={onPaste}
          />
        </div>
        <Attached
          attachments={props.draft.attachments}
          onRemove={(one) => {
            props.draft.detach([one]);
            field.focus();
          }}
        />
        <PastedOffer pasted={pasted} />
        <SuggestedSkills
          skills={suggestions.list()}
          onAdd={({ id, name }) => void attachReference(props.draft, skillReference(id, name))}
          onDismiss={suggestions.dismiss}
        />
        <Show when={files.problem() || props.draft.trouble}>
          {(words) => (
            <p class="field-problem attached-problem" role="alert">
              {words()}
            </p>
          )}
        </Show>
        <ComposerBar
          {...props}
          chooser={chooser}
          camera={camera}
          canSend={canSend()}
          onAdd={props.about && (() => setDialog("add"))}
        />
      </form>
      <Show when={props.about}>
        {(about) => (
          <AddSheet
            isOpen={dialog() === "add"}
            about={about()}
            draft={props.draft}
            onFiles={() => chooser.click()}
            onPhoto={() => camera.click()}
            onQuote={() => setDialog("quote")}
            onClose={() => setDialog((now) => (now === "add" ? undefined : now))}
          />
        )}
      </Show>
      <QuoteDialog isOpen={dialog() === "quote"} onAdd={pasted.add} onClose={() => setDialog(undefined)} />
    </>
  );
}
