// The list of chats.
//
// Lives here: the list as the stream tells it, newest first. Lives elsewhere:
// one chat (chat.ts), where the list comes from (hub.ts).

import { createStore, produce, reconcile } from "solid-js/store";

import type { ChatInfo } from "../api/client";
import { forget, recall, remember } from "./keep";

export interface ChatList {
  /** Newest first. */
  readonly list: ChatInfo[];
  /** False until the list came for the first time. */
  readonly isLoaded: boolean;
  /** Whether there are chats; before the list has come, whether there were any last time. */
  readonly hasAny: boolean;
  /** How many chats wait for a person. */
  readonly needsYou: number;
}

interface Kept {
  list: ChatInfo[];
  isLoaded: boolean;
}

const HAD_ANY = "had-chats";
const hadAny = recall(HAD_ANY) !== null;
const [kept, setKept] = createStore<Kept>({ list: [], isLoaded: false });

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
};

/** The list of chats; reactive. */
export function useChats(): ChatList {
  return chats;
}

/** One chat of the list. */
export function listed(id: string): ChatInfo | undefined {
  return kept.list.find((chat) => chat.id === id);
}

export function replaceList(list: ChatInfo[]): void {
  setKept("list", reconcile(list.toSorted(newestFirst), { key: "id" }));
  setKept("isLoaded", true);
  if (list.length > 0) remember(HAD_ANY, "yes");
  else forget(HAD_ANY);
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
  setKept({ list: [], isLoaded: false });
}

function newestFirst(one: ChatInfo, other: ChatInfo): number {
  return other.updated_at - one.updated_at || (one.id < other.id ? -1 : 1);
}
