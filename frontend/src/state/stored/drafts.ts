// Drafts: unsent text and its attachments.
//
// Lives here: one text and a list of files for each chat, stored across reloads and
// for all tabs; form entries, which may be passwords and are kept only while
// the page is open. Lives elsewhere: the files themselves (files.ts), sent messages
// (outbox).

import { createSignal } from "solid-js";

import { disown, idOf, idsOf, keepFiles, keptFiles, letGo } from "./files";
import { forget, namesLike, onRemembered, recall, remember } from "./localStore";
import type { JsonObject } from "../shapes";

export interface Draft {
  /** Reactive, like the next three. */
  readonly text: string;
  /** The attachments, as ACP content. */
  readonly attachments: readonly JsonObject[];
  /** An attachment is not ready yet: it is being read or stored. */
  readonly isReading: boolean;
  /** A message about attachments that could not be stored or read; empty if there is no problem. */
  readonly trouble: string;
  set(text: string): void;
  /** Resolves when the browser has stored or refused them. */
  attach(files: readonly JsonObject[]): Promise<void>;
  /** Take over stored files by their ids; false if the browser refused to store the ids. */
  adopt(ids: readonly string[]): boolean;
  detach(files: readonly JsonObject[]): void;
  /** Remove the text and the attachments. */
  clear(): void;
}

interface Kept {
  readonly draft: Draft;
  /** Read the stored draft again, since another tab may have changed it. */
  followText(): void;
  followFiles(): Promise<void>;
}

const TEXT = "draft.";
const FILES = "attached.";
const NOTHING: readonly JsonObject[] = [];
const UNKEPT =
  "This browser cannot store these attachments. They will be lost if you reload or close this page.";
const LOST = "An attachment is no longer stored in this browser. Attach it again.";
const drafts = new Map<string, Kept>();

/** The draft of a chat; `"new"` for the new-chat page. Always the same object for a chat. */
export function draft(chat: string): Draft {
  let kept = drafts.get(chat);
  if (kept === undefined) {
    kept = make(chat);
    drafts.set(chat, kept);
  }
  return kept.draft;
}

/** The chats that have a draft; `"new"` is not a chat. */
export function drafted(): string[] {
  const names = [...namesLike(TEXT).map((name) => name.slice(TEXT.length)), ...namesLike(FILES).map((name) => name.slice(FILES.length))];
  return [...new Set(names)].filter((name) => name !== "new" && name !== "begun");
}

/** The chats whose attachments are all older than this moment, in milliseconds since 1970. */
export function attachedBefore(moment: number): string[] {
  const isOld = (name: string) => idsIn(name).every((id) => Number.parseInt(id) < moment);
  const names = namesLike(FILES).filter(isOld);
  return names.map((name) => name.slice(FILES.length)).filter((chat) => chat !== "new");
}

/** Remove the attachments of a draft and keep its text. */
export function forgetAttached(chat: string): void {
  forget(FILES + chat);
  void drafts.get(chat)?.followFiles();
}

/** Remove all drafts, for example at sign-out. */
export function forgetDrafts(): void {
  for (const chat of new Set(["new", ...drafted(), ...drafts.keys()])) draft(chat).clear();
  for (const name of namesLike(TEXT)) forget(name);
  forms.clear();
}

const forms = new Map<string, object>();

/** The entries of a question's form so far; the same object until it is answered. */
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

/** Any other stored value is ignored. */
function idsIn(name: string): string[] {
  try {
    const ids: unknown = JSON.parse(recall(name) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/** The stored value is a list of ids, shared by all tabs. */
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
    // The attachments have changed in the meantime.
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
  // Do not change a field while someone is typing in it.
  else if (name.startsWith(TEXT) && !document.hasFocus()) drafts.get(name.slice(TEXT.length))?.followText();
});
