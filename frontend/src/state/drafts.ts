// What was typed and not sent.
//
// Lives here: one text for each chat, kept across reloads; what was attached to
// it, which is too large for that, and what was filled into forms, which may be
// a password: both kept while the page is open. Lives elsewhere: messages on
// their way (outbox.ts).

import { createSignal, type Accessor } from "solid-js";

import { forget, namesLike, onRemembered, recall, remember } from "./keep";
import type { JsonObject } from "./shapes";

export interface Draft {
  /** Reactive. */
  readonly text: string;
  /** What goes along, as ACP's pieces of content; reactive. */
  readonly attachments: readonly JsonObject[];
  set(text: string): void;
  attach(attachments: readonly JsonObject[]): void;
  /** Nothing is written any more, and nothing goes along. */
  clear(): void;
}

const drafts = new Map<string, { draft: Draft; read: Accessor<string>; show: (text: string) => void }>();
const NOTHING: readonly JsonObject[] = [];

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
  for (const { show, draft } of drafts.values()) {
    show("");
    draft.attach(NOTHING);
  }
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
  const [attachments, attach] = createSignal(NOTHING);
  const set = (text: string) => {
    show(text);
    if (text) remember(name, text);
    else forget(name);
  };
  const draft: Draft = {
    get text() {
      return read();
    },
    get attachments() {
      return attachments();
    },
    set,
    attach,
    clear: () => {
      set("");
      attach(NOTHING);
    },
  };
  return { draft, read, show };
}

onRemembered((name) => {
  // Not into the field somebody is typing in.
  if (document.hasFocus() || !name.startsWith("draft.")) return;
  drafts.get(name.slice("draft.".length))?.show(recall(name) ?? "");
});
