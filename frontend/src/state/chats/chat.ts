// The chats this tab shows, each folded from its events.
//
// Lives here: one store for each chat, kept live while it is shown and
// a while longer; older blocks. Lives elsewhere: the fold (applyEvent.ts), how
// events get here (hub.ts).

import { createMemo, createSignal, onCleanup, type Accessor } from "solid-js";
import { createStore, produce, reconcile, type SetStoreFunction } from "solid-js/store";

import * as api from "../../api/client";
import type { RawEvent } from "../../worker/messages";
import { applyEvent, emptyChat } from "./applyEvent";
import type { Block, ChatState } from "../shapes";

/** A chat as a component sees it; every property is reactive. */
export interface ChatHandle {
  readonly id: string;
  /** Undefined until the chat has loaded. */
  readonly state: ChatState | undefined;
  /** `gone`: the chat does not exist or was deleted. */
  readonly phase: "loading" | "ready" | "gone";
  /** There are blocks before the first of `state.blocks`. */
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  /** Put some older blocks before the others. */
  loadOlder(): Promise<void>;
}

/** How many chats stay live after they were closed, and how long, so that going back is instant. */
const IDLE_CHATS = 6;
const IDLE_MS = 300_000;
const OLDER_AT_ONCE = 50;

/** Least recently shown first. */
const entries = new Map<string, Entry>();
let tellFollowed: (chats: string[]) => void = () => undefined;

/** Follow a chat while the calling component lives. */
export function useChat(id: string | Accessor<string>): ChatHandle {
  const entry = createMemo(() => {
    const entry = lookAt(typeof id === "string" ? id : id());
    onCleanup(() => lookAway(entry));
    return entry;
  });
  return {
    get id() {
      return entry().id;
    },
    get state() {
      return entry().phase() === "ready" ? entry().state : undefined;
    },
    get phase() {
      return entry().phase();
    },
    get hasOlder() {
      return entry().hasOlder();
    },
    get isLoadingOlder() {
      return entry().isLoadingOlder();
    },
    loadOlder: () => entry().loadOlder(),
  };
}

/** Called with all chats to follow whenever they change. */
export function onFollowed(tell: (chats: string[]) => void): void {
  tellFollowed = tell;
}

export function followed(): string[] {
  return [...entries.values()].filter((entry) => entry.isPossible).map((entry) => entry.id);
}

/** Replace a chat with a snapshot. Older blocks are kept if they adjoin, unless they are of another history. */
export function takeSnapshot(chat: ChatState, complete: boolean, isOther = false): void {
  entries.get(chat.id)?.takeSnapshot(chat, complete, isOther);
}

/** Apply events in order. False if some before them are missing. */
export function takeEvents(id: string, events: RawEvent[]): boolean {
  return entries.get(id)?.takeEvents(events) ?? true;
}

export function takeRemoval(id: string): void {
  entries.get(id)?.setPhase("gone");
}

export function forgetChats(): void {
  for (const entry of entries.values()) entry.forget();
}

/** A chat, if this tab has it; for callers that must see every message. */
export function held(id: string): ChatState | undefined {
  const entry = entries.get(id);
  return entry?.phase() === "ready" ? entry.state : undefined;
}

class Entry {
  lookers = 0;
  leftAt = 0;
  readonly state: ChatState;
  readonly #set: SetStoreFunction<ChatState>;
  readonly phase: Accessor<ChatHandle["phase"]>;
  readonly setPhase: (phase: ChatHandle["phase"]) => void;
  readonly hasOlder: Accessor<boolean>;
  readonly #setHasOlder: (has: boolean) => void;
  readonly isLoadingOlder: Accessor<boolean>;
  readonly #setLoadingOlder: (is: boolean) => void;
  /** Older blocks being loaded: further requests wait for the same result. */
  #older: Promise<void> | undefined;

  constructor(readonly id: string) {
    [this.state, this.#set] = createStore(emptyChat(id));
    [this.phase, this.setPhase] = createSignal<ChatHandle["phase"]>(this.isPossible ? "loading" : "gone");
    [this.hasOlder, this.#setHasOlder] = createSignal(false);
    [this.isLoadingOlder, this.#setLoadingOlder] = createSignal(false);
  }

  /** The server rejects the whole stream if one id is invalid. */
  get isPossible(): boolean {
    return /^[0-9a-f]{1,40}$/.test(this.id);
  }

  takeSnapshot(chat: ChatState, complete: boolean, isOther: boolean): void {
    const older = isOther || chat.head.seq < this.state.head.seq ? [] : this.#olderThan(chat.blocks);
    this.#set("head", reconcile(chat.head, { merge: true }));
    this.#set("blocks", reconcile([...older, ...chat.blocks], { key: "pos", merge: true }));
    if (older.length === 0) this.#setHasOlder(!complete);
    this.setPhase("ready");
  }

  takeEvents(events: RawEvent[]): boolean {
    if (this.phase() !== "ready") return true;
    let isWhole = true;
    this.#set(
      produce((chat) => {
        for (const [kind, body] of events) {
          const { seq, first_seq = seq } = body;
          if (seq <= chat.head.seq) continue;
          isWhole &&= first_seq === chat.head.seq + 1;
          if (isWhole) applyEvent(chat, kind, body);
        }
      }),
    );
    return isWhole;
  }

  loadOlder(): Promise<void> {
    this.#older ??= this.#loadOlder().finally(() => (this.#older = undefined));
    return this.#older;
  }

  async #loadOlder(): Promise<void> {
    const first = this.state.blocks[0];
    if (!this.hasOlder() || first === undefined) return;
    this.#setLoadingOlder(true);
    try {
      // Ask for one more than is shown, to know whether there are more.
      const older = await api.olderBlocks(this.id, first.pos, OLDER_AT_ONCE + 1);
      if (this.state.blocks[0]?.pos !== first.pos) return;
      this.#set("blocks", (blocks) => [...older.slice(-OLDER_AT_ONCE), ...blocks]);
      this.#setHasOlder(older.length > OLDER_AT_ONCE);
    } finally {
      this.#setLoadingOlder(false);
    }
  }

  forget(): void {
    this.#set(reconcile(emptyChat(this.id)));
    this.setPhase(this.isPossible ? "loading" : "gone");
    this.#setHasOlder(false);
  }

  /** Our blocks before the first of these, unless there is a gap. */
  #olderThan(blocks: Block[]): Block[] {
    const first = blocks[0]?.pos;
    const last = this.state.blocks.at(-1)?.pos;
    if (first === undefined || last === undefined || last < first) return [];
    return this.state.blocks.filter((block) => block.pos < first);
  }
}

function lookAt(id: string): Entry {
  const known = entries.get(id);
  const entry = known ?? new Entry(id);
  entries.delete(id);
  entries.set(id, entry);
  entry.lookers++;
  if (known === undefined) {
    letGo();
    tellFollowed(followed());
  }
  return entry;
}

function lookAway(entry: Entry): void {
  entry.lookers--;
  entry.leftAt = Date.now();
  setTimeout(() => letGo() && tellFollowed(followed()), IDLE_MS);
}

/** Drop chats that were not shown for long, or that are too many. Returns whether there were any. */
function letGo(): boolean {
  const idle = [...entries.values()].filter((entry) => entry.lookers === 0);
  const isOld = (entry: Entry) => Date.now() - entry.leftAt >= IDLE_MS;
  const leaving = idle.filter((entry, i) => i < idle.length - IDLE_CHATS || isOld(entry));
  for (const entry of leaving) entries.delete(entry.id);
  return leaving.length > 0;
}
