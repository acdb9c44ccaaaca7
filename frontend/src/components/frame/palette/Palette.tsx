// Ctrl/Cmd-K: find any chat or action by part of its name.
import { createMemo, createSignal, For, onCleanup, Show, type JSX } from "solid-js";

import { findChats } from "../../../state";
import { Dialog } from "../../controls/Dialog";
import { SearchIcon } from "../../icons";
import { matching, type Entry } from "./paletteEntries";
import { labels } from "../labels";

const SEARCH_AFTER_MS = 200;

export function Palette(props: { isOpen: boolean; entries: readonly Entry[]; onClose: () => void }): JSX.Element {
  return (
    <Dialog isOpen={props.isOpen} isBare title={labels.paletteTitle} class="palette" onClose={props.onClose}>
      <PaletteBody entries={props.entries} onClose={props.onClose} />
    </Dialog>
  );
}

function PaletteBody(props: { entries: readonly Entry[]; onClose: () => void }): JSX.Element {
  const [words, setWords] = createSignal("");
  const [wished, setWished] = createSignal(0);
  const found = createMemo(() => matching(props.entries, words()));
  const at = () => Math.min(wished(), found().length - 1);

  /** Older chats are searched on the server once typing pauses. */
  let pause: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(pause));
  function look(words: string) {
    clearTimeout(pause);
    pause = setTimeout(() => void findChats(words).catch(() => undefined), SEARCH_AFTER_MS);
  }

  function act(entry: Entry | undefined) {
    if (!entry) return;
    props.onClose();
    entry.act();
  }
  function onKey(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setWished((at() + step + found().length) % Math.max(1, found().length));
      document.getElementById(`palette-${at()}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      act(found()[at()]);
    }
  }
  return (
    <>
      <div class="palette-field">
        <SearchIcon />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found().length > 0 ? `palette-${at()}` : undefined}
          aria-label={labels.paletteTitle}
          placeholder={labels.paletteTitle}
          autocomplete="off"
          autofocus
          value={words()}
          onInput={(event) => {
            setWords(event.currentTarget.value);
            setWished(0);
            look(event.currentTarget.value);
          }}
          onKeyDown={onKey}
        />
      </div>
      <ul class="palette-list" id="palette-list" role="listbox" aria-label={labels.results}>
        <For each={found()}>
          {(entry, index) => (
            <li
              id={`palette-${index()}`}
              class="palette-entry"
              role="option"
              aria-selected={index() === at()}
              onPointerMove={() => setWished(index())}
              onClick={() => act(entry)}
            >
              {entry.icon()}
              <span class="cut">{entry.name}</span>
              <span class="palette-note cut">{entry.note}</span>
            </li>
          )}
        </For>
      </ul>
      <Show when={found().length === 0}>
        <p class="palette-none">{labels.noResults}</p>
      </Show>
    </>
  );
}
