// Everything that can be added to a message, in one place: files, photos, mentions, quotes, skills.
import { createMemo, createSignal, For, Show, type JSX } from "solid-js";

import type { Draft } from "../../../state";
import { Dialog } from "../../controls/Dialog";
import { AttachIcon, CameraIcon, QuoteIcon, SearchIcon } from "../../icons";
import { fileWords, mentionEntries, skillEntries, type Entry } from "./entries";
import { CountAnnouncer, EntryList, entryId, ListState } from "./EntryList";
import { labels } from "./labels";
import { attachReference, createSkills, useMentionedChats, type Surroundings } from "./picker";
import { createFileSearch, moreWords } from "./search";

const LIST = "add-list";

export interface Additions {
  /** Choose files with the browser's dialog. */
  onFiles: () => void;
  onPhoto: () => void;
  onQuote: () => void;
}

export function AddSheet(props: Additions & { isOpen: boolean; about: Surroundings; draft: Draft; onClose: () => void }): JSX.Element {
  return (
    <Dialog isOpen={props.isOpen} title={labels.addTitle} class="add-sheet" onClose={props.onClose}>
      <SheetBody {...props} />
    </Dialog>
  );
}

function SheetBody(props: Parameters<typeof AddSheet>[0]): JSX.Element {
  const [query, setQuery] = createSignal("");
  const [wished, setWished] = createSignal(0);
  const chats = useMentionedChats(() => props.about.chat);
  const skills = createSkills(() => props.about.workspace);
  const search = createFileSearch(() => {
    const words = fileWords(query());
    return words === undefined ? undefined : { workspace: props.about.workspace, q: words };
  });
  const isForChats = () => fileWords(query()) === undefined;
  /** Nothing is shown before the first result, so that nothing moves when it arrives. */
  const isWaiting = () => !isForChats() && search().found === undefined && search().problem === "";
  const entries = createMemo(() => [
    ...mentionEntries(query(), search(), chats()),
    ...(isForChats() || isWaiting() ? [] : skillEntries(query(), skills.list()?.skills ?? [])),
  ]);
  const at = () => Math.min(wished(), entries().length - 1);
  const problem = () => {
    if (search().problem) return `${labels.searchFailed} ${search().problem}`;
    return skills.problem() && `${labels.skillsFailed} ${skills.problem()}`;
  };
  const type = (words: string) => {
    setQuery(words);
    setWished(0);
  };
  function choose(entry: Entry | undefined) {
    if (entry === undefined) return;
    if (entry.choice.act === "attach") {
      void attachReference(props.draft, entry.choice.attachment);
      props.onClose();
    } else type(entry.choice.words.replace(/^@/, ""));
  }
  function onKey(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing || (step === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    if (step === undefined) choose(entries()[at()]);
    else if (entries().length > 0) setWished((at() + step + entries().length) % entries().length);
  }
  return (
    <>
      <div class="add-field">
        <SearchIcon />
        <input
          type="text"
          role="combobox"
          aria-expanded={entries().length > 0}
          aria-controls={LIST}
          aria-autocomplete="list"
          aria-activedescendant={entries().length > 0 ? entryId(LIST, at()) : undefined}
          aria-label={labels.search}
          placeholder={labels.search}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          // On a touch screen the keyboard would cover what can be tapped.
          autofocus={matchMedia("(pointer: fine)").matches}
          value={query()}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={onKey}
        />
      </div>
      <div class="add-scroll">
        <Show when={query() === ""}>
          <Actions {...props} />
        </Show>
        <EntryList id={LIST} label={labels.search} entries={entries()} at={at()} onPoint={setWished} onChoose={choose} />
        <ListState
          isLoading={search().isLoading}
          problem={problem()}
          none={entries().length === 0 ? labels.noFiles(query()) : ""}
          more={moreWords(search())}
        />
      </div>
      <CountAnnouncer count={search().isLoading ? undefined : entries().length} />
    </>
  );
}

function Actions(props: Additions & { onClose: () => void }): JSX.Element {
  const actions = [
    { label: labels.attachFiles, icon: AttachIcon, act: () => props.onFiles() },
    // Elsewhere the browser's own dialog offers a camera, if there is one.
    ...(matchMedia("(pointer: coarse)").matches ? [{ label: labels.takePhoto, icon: CameraIcon, act: () => props.onPhoto() }] : []),
    { label: labels.addQuote, icon: QuoteIcon, act: () => props.onQuote() },
  ];
  return (
    <ul class="add-actions">
      <For each={actions}>
        {(action) => (
          <li>
            <button
              type="button"
              class="menu-item"
              onClick={() => {
                props.onClose();
                action.act();
              }}
            >
              {action.icon()}
              {action.label}
            </button>
          </li>
        )}
      </For>
    </ul>
  );
}
