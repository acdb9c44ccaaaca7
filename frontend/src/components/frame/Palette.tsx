// Ctrl/Cmd-K: every chat and every action, by typing a part of its name.
import { createMemo, createSignal, For, Show, type JSX } from "solid-js";

import { Dialog } from "../controls/Dialog";
import { SearchIcon } from "../icons";
import { matching, type Entry } from "./paletteEntries";

export function Palette(props: { isOpen: boolean; entries: readonly Entry[]; onClose: () => void }): JSX.Element {
  return (
    <Dialog isOpen={props.isOpen} isBare title="Go to a chat or do something" class="palette" onClose={props.onClose}>
      <PaletteBody entries={props.entries} onClose={props.onClose} />
    </Dialog>
  );
}

function PaletteBody(props: { entries: readonly Entry[]; onClose: () => void }): JSX.Element {
  const [words, setWords] = createSignal("");
  const [wished, setWished] = createSignal(0);
  const found = createMemo(() => matching(props.entries, words()));
  const at = () => Math.min(wished(), found().length - 1);

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
          aria-label="Chat or action"
          placeholder="Go to a chat or do something"
          autocomplete="off"
          autofocus
          value={words()}
          onInput={(event) => {
            setWords(event.currentTarget.value);
            setWished(0);
          }}
          onKeyDown={onKey}
        />
      </div>
      <ul class="palette-list" id="palette-list" role="listbox" aria-label="Found">
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
        <p class="palette-none">Nothing has that name.</p>
      </Show>
    </>
  );
}
