// The list of chats.
//
// Lives here: the list as the stream sends it, newest first. Lives elsewhere:
// one chat (chat.ts), where the list comes from (hub.ts).

import { createStore, produce, reconcile } from "solid-js/store";

import { listChats, type ChatInfo } from "../../api/client";
import { forget, recall, remember } from "../stored/localStore";

export interface ChatList {
  /** Newest first. */
  readonly list: ChatInfo[];
  /** False until the list has loaded. */
  readonly isLoaded: boolean;
  /** Whether there are chats; before the list has loaded, whether there were any last time. */
  readonly hasAny: boolean;
  /** How many chats wait for a person. */
  readonly needsYou: number;
  /** The server has older chats that are not listed here yet. */
  readonly hasMore: boolean;
}

interface Kept {
  list: ChatInfo[];
  isLoaded: boolean;
  /** Where the list continues. */
  next: string | null;
}

const HAD_ANY = "had-chats";
const hadAny = recall(HAD_ANY) !== null;
const [kept, setKept] = createStore<Kept>({ list: [], isLoaded: false, next: null });

const chats: ChatList = {
  get list() {
    return kept.list;
  },
  get isLoaded() {
    return kept.isLoaded;
  },
  get hasAny() {
    return kept.isLoaded ? kept.list.length > 0 : hadAny;
  },
  get needsYou() {
    return kept.list.filter((chat) => chat.needs_you > 0).length;
  },
  get hasMore() {
    return kept.next !== null;
  },
};

/** The list of chats; reactive. */
export function useChats(): ChatList {
  return chats;
}

/** One chat of the list. */
export function listed(id: string): ChatInfo | undefined {
  return kept.list.find((chat) => chat.id === id);
}

export function replaceList(list: ChatInfo[], next: string | null = null): void {
  setKept("list", reconcile(list.toSorted(newestFirst), { key: "id" }));
  setKept("isLoaded", true);
  setKept("next", next);
  if (list.length > 0) remember(HAD_ANY, "yes");
  else forget(HAD_ANY);
}

/** Load older chats as well. */
export async function loadMore(): Promise<void> {
  const before = kept.next;
  if (before === null) return;
  const page = await listChats({ before });
  if (kept.next !== before) return;
  addToList(page.chats);
  setKept("next", page.next ?? null);
}

/** Load chats of any age with these words in their titles; does nothing if all are loaded. */
export async function findChats(words: string): Promise<void> {
  if (kept.next === null || words.trim() === "") return;
  addToList((await listChats({ search: words.trim() })).chats);
}

function addToList(more: ChatInfo[]): void {
  const known = new Set(kept.list.map((chat) => chat.id));
  const all = [...kept.list, ...more.filter((chat) => !known.has(chat.id))];
  setKept("list", reconcile(all.toSorted(newestFirst), { key: "id" }));
}

export function changeInList(chat: ChatInfo): void {
  const others = kept.list.filter((other) => other.id !== chat.id);
  setKept("list", reconcile([...others, chat].toSorted(newestFirst), { key: "id" }));
}

export function removeFromList(id: string): void {
  setKept(
    produce((kept) => {
      kept.list = kept.list.filter((chat) => chat.id !== id);
    }),
  );
}

export function forgetList(): void {
  setKept({ list: [], isLoaded: false, next: null });
}

function newestFirst(one: ChatInfo, other: ChatInfo): number {
  return other.updated_at - one.updated_at || (one.id < other.id ? -1 : 1);
}
