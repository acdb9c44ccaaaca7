// Text and its source, typed or pasted by a person.
import { createSignal, Show, type JSX } from "solid-js";

import { Dialog } from "../../controls/Dialog";
import { labels } from "../mentions/labels";
import { MOST_CHARACTERS, quoteIn, type Quote } from "./quotes";

export function QuoteDialog(props: { isOpen: boolean; onAdd: (quote: Quote) => void; onClose: () => void }): JSX.Element {
  return (
    <Dialog isOpen={props.isOpen} title={labels.quoteTitle} class="quote-dialog" onClose={props.onClose}>
      <QuoteForm onAdd={props.onAdd} onClose={props.onClose} />
    </Dialog>
  );
}

function QuoteForm(props: { onAdd: (quote: Quote) => void; onClose: () => void }): JSX.Element {
  const [text, setText] = createSignal("");
  const [source, setSource] = createSignal("");
  const isLong = () => text().trim().length > MOST_CHARACTERS;
  function onPaste(event: ClipboardEvent) {
    const found = event.clipboardData && quoteIn(event.clipboardData)?.source;
    if (found && source() === "") setSource(found);
  }
  return (
    <form
      class="dialog-body"
      onSubmit={(event) => {
        event.preventDefault();
        // A form inside the composer's would otherwise send the message.
        event.stopPropagation();
        if (text().trim() === "" || isLong()) return;
        props.onAdd({ text: text().trim(), source: source().trim() });
        props.onClose();
      }}
    >
      <label class="field">
        <span class="field-label">{labels.quoteText}</span>
        <textarea
          class="input quote-text"
          rows="5"
          autofocus
          dir="auto"
          placeholder={labels.quoteTextHint}
          aria-invalid={isLong()}
          value={text()}
          onInput={(event) => setText(event.currentTarget.value)}
          onPaste={onPaste}
        />
      </label>
      <Show when={isLong()}>
        <p class="field-problem" role="alert">{labels.quoteLong(MOST_CHARACTERS)}</p>
      </Show>
      <label class="field">
        <span class="field-label">{labels.quoteSource}</span>
        <input
          class="input"
          placeholder={labels.quoteSourceHint}
          autocapitalize="off"
          value={source()}
          maxlength="2000"
          onInput={(event) => setSource(event.currentTarget.value)}
        />
      </label>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={() => props.onClose()}>
          {labels.cancel}
        </button>
        <button type="submit" class="button button-main" disabled={text().trim() === "" || isLong()}>
          {labels.addIt}
        </button>
      </div>
    </form>
  );
}
