// What was typed and not sent, and what was attached to it.
//
// Lives here: one text and a list of files for each chat, kept across reloads and
// for all tabs; what was filled into forms, which may be a password: kept while
// the page is open. Lives elsewhere: the files themselves (files.ts), messages on
// their way (outbox.ts).

import { createSignal } from "solid-js";

import { disown, idOf, idsOf, keepFiles, keptFiles, letGo } from "./files";
import { forget, namesLike, onRemembered, recall, remember } from "./keep";
import type { JsonObject } from "./shapes";

export interface Draft {
  /** Reactive, as all of these. */
  readonly text: string;
  /** What goes along, as ACP's pieces of content. */
  readonly attachments: readonly JsonObject[];
  /** Something goes along that is not at hand yet: it is being read or stored. */
  readonly isReading: boolean;
  /** What cannot be kept, or was not; made for people, empty if all is well. */
  readonly trouble: string;
  set(text: string): void;
  /** Done when they are stored, if the browser does that. */
  attach(files: readonly JsonObject[]): Promise<void>;
  /** Take over files that lie in this browser, by their ids; false when it would not store that they belong here. */
  adopt(ids: readonly string[]): boolean;
  detach(files: readonly JsonObject[]): void;
  /** Nothing is written any more, and nothing goes along. */
  clear(): void;
}

interface Kept {
  readonly draft: Draft;
  /** Show what is stored, as another tab may have changed it. */
  followText(): void;
  followFiles(): Promise<void>;
}

const TEXT = "draft.";
const FILES = "attached.";
const NOTHING: readonly JsonObject[] = [];
const UNKEPT =
  "This browser does not store what is attached here: it stays while this page is open, and is lost when you reload or close it.";
const LOST = "Something that was attached cannot be found in this browser any more. Attach it again.";
const drafts = new Map<string, Kept>();

/** The draft of a chat; `"new"` for the page where a chat begins. The same object for the same chat. */
export function draft(chat: string): Draft {
  let kept = drafts.get(chat);
  if (kept === undefined) {
    kept = make(chat);
    drafts.set(chat, kept);
  }
  return kept.draft;
}

/** The chats that have one; `"new"` is not a chat. */
export function drafted(): string[] {
  const names = [...namesLike(TEXT).map((name) => name.slice(TEXT.length)), ...namesLike(FILES).map((name) => name.slice(FILES.length))];
  return [...new Set(names)].filter((name) => name !== "new" && name !== "begun");
}

/** The chats of which all that is attached was so before this moment, in milliseconds since 1970. */
export function attachedBefore(moment: number): string[] {
  const isOld = (name: string) => idsIn(name).every((id) => Number.parseInt(id) < moment);
  const names = namesLike(FILES).filter(isOld);
  return names.map((name) => name.slice(FILES.length)).filter((chat) => chat !== "new");
}

/** Forget what is attached to one; what is written stays. */
export function forgetAttached(chat: string): void {
  forget(FILES + chat);
  void drafts.get(chat)?.followFiles();
}

/** Forget them all, as at signing out. */
export function forgetDrafts(): void {
  for (const chat of new Set(["new", ...drafted(), ...drafts.keys()])) draft(chat).clear();
  for (const name of namesLike(TEXT)) forget(name);
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

function make(chat: string): Kept {
  const [text, showText] = createSignal(recall(TEXT + chat) ?? "");
  const set = (text: string) => {
    showText(text);
    if (text) remember(TEXT + chat, text);
    else forget(TEXT + chat);
  };
  const { followFiles, clear, ...files } = makeFiles(FILES + chat);
  const draft: Draft = {
    get text() {
      return text();
    },
    get attachments() {
      return files.attachments();
    },
    get isReading() {
      return files.isReading();
    },
    get trouble() {
      return files.trouble();
    },
    set,
    attach: files.attach,
    adopt: files.adopt,
    detach: files.detach,
    clear: () => {
      set("");
      clear();
    },
  };
  return { draft, followFiles, followText: () => showText(recall(TEXT + chat) ?? "") };
}

/** Anything else that lies there is nobody's. */
function idsIn(name: string): string[] {
  try {
    const ids: unknown = JSON.parse(recall(name) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/** What is stored under the name are ids; it is the same for all tabs. */
function makeFiles(name: string) {
  const stored = () => idsIn(name);
  const [attachments, show] = createSignal(NOTHING);
  const [isReading, setReading] = createSignal(stored().length > 0);
  const [storing, setStoring] = createSignal(0);
  const [isLost, setLost] = createSignal(false);

  function write(ids: readonly string[]): boolean {
    if (ids.length > 0) return remember(name, JSON.stringify(ids));
    forget(name);
    return true;
  }
  async function followFiles(): Promise<void> {
    const wanted = stored();
    if (wanted.some((id) => !idsOf(attachments()).includes(id))) setReading(true);
    const found = await keptFiles(wanted, attachments()).catch(() => undefined);
    // Somebody attached or took off something meanwhile.
    if (wanted.join() !== stored().join()) return followFiles();
    if (found !== undefined) {
      const here = found.filter((file) => file !== undefined);
      if (here.length < wanted.length) write(idsOf(here));
      show([...here, ...attachments().filter((file) => idOf(file) === undefined)]);
    }
    setLost(found === undefined || found.includes(undefined));
    setReading(false);
  }
  async function attach(files: readonly JsonObject[]): Promise<void> {
    const others = files.filter((file) => idOf(file) === undefined);
    if (others.length > 0) {
      setStoring((count) => count + 1);
      await keepFiles(others);
      setStoring((count) => count - 1);
    }
    if (!write([...stored(), ...idsOf(files)])) disown(files);
    show([...attachments(), ...files]);
    setLost(false);
  }
  function adopt(ids: readonly string[]): boolean {
    if (!write([...stored(), ...ids])) return false;
    void followFiles();
    return true;
  }
  function detach(files: readonly JsonObject[]): void {
    const gone = idsOf(files);
    write(stored().filter((id) => !gone.includes(id)));
    show(attachments().filter((file) => !files.includes(file)));
    setLost(false);
    letGo(gone);
  }
  function clear(): void {
    const gone = stored();
    write([]);
    show(NOTHING);
    setLost(false);
    letGo(gone);
  }
  const trouble = () =>
    [attachments().some((file) => idOf(file) === undefined) && UNKEPT, isLost() && LOST].filter(Boolean).join(" ");
  if (isReading()) void followFiles();
  return { attachments, isReading: () => isReading() || storing() > 0, trouble, attach, adopt, detach, clear, followFiles };
}

onRemembered((name) => {
  if (name.startsWith(FILES)) void drafts.get(name.slice(FILES.length))?.followFiles();
  // Not into the field somebody is typing in.
  else if (name.startsWith(TEXT) && !document.hasFocus()) drafts.get(name.slice(TEXT.length))?.followText();
});
