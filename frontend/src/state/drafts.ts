// What was typed and not sent.
//
// Lives here: one text for each chat, kept across reloads, and what was filled
// into forms, kept while the page is open: it may be a password. Lives
// elsewhere: messages on their way (outbox.ts).

import { createSignal, type Accessor } from "solid-js";

import { forget, namesLike, onRemembered, recall, remember } from "./keep";

export interface Draft {
  /** Reactive. */
  readonly text: string;
  set(text: string): void;
  clear(): void;
}

const drafts = new Map<string, { draft: Draft; read: Accessor<string>; show: (text: string) => void }>();

/** The draft of a chat; `"new"` for the page where a chat begins. The same object for the same chat. */
export function draft(chat: string): Draft {
  let kept = drafts.get(chat);
  if (kept === undefined) {
    kept = make(chat);
    drafts.set(chat, kept);
  }
  return kept.draft;
}

/** Forget them all, as at signing out. */
export function forgetDrafts(): void {
  for (const name of namesLike("draft.")) forget(name);
  for (const { show } of drafts.values()) show("");
  forms.clear();
}

const forms = new Map<string, object>();

/** What was filled into the form of a question so far; the same object until it is answered. */
export function formDraft<T extends object>(question: string, begin: () => T): T {
  const kept = (forms.get(question) as T | undefined) ?? begin();
  forms.set(question, kept);
  return kept;
}

export function forgetForm(question: string): void {
  forms.delete(question);
}

function make(chat: string) {
  const name = `draft.${chat}`;
  const [read, show] = createSignal(recall(name) ?? "");
  const set = (text: string) => {
    show(text);
    if (text) remember(name, text);
    else forget(name);
  };
  const draft: Draft = {
    get text() {
      return read();
    },
    set,
    clear: () => set(""),
  };
  return { draft, read, show };
}

onRemembered((name) => {
  // Not into the field somebody is typing in.
  if (document.hasFocus() || !name.startsWith("draft.")) return;
  drafts.get(name.slice("draft.".length))?.show(recall(name) ?? "");
});
