// The hub: one connection to the server for all tabs of a browser.
//
// Lives here: which tab shows what, the fold of every chat that is shown, so
// that a tab opened later starts where the others are, and passing each
// event on once. Lives elsewhere: keeping the connection (serverStream.ts), what a tab
// does with events (state/), where the hub runs (shared.ts, state/hub.ts).

import type { ChatInfo } from "../api/client";
import { holdKey } from "../api/key";
import { applyEvent, fromSnapshot } from "../state/chats/applyEvent";
import type { Block, ChatState, Head } from "../state/shapes";
import { ServerStream } from "./stream/serverStream";
import type { ConnectionState, EventBody, RawEvent, ToHub, ToTab } from "./messages";
import type { SseEvent } from "./stream/sse";

export type Send = (message: ToTab) => void;

interface Tab {
  send: Send;
  chats: Set<string>;
}

/** What the stream sends other than the events of a chat's log. */
type News =
  | { kind: "ping"; body: unknown }
  | { kind: "ready"; body: { version: string } }
  | { kind: "chats"; body: { chats: ChatInfo[]; next?: string | null; history?: string } }
  | { kind: "chat-changed"; body: ChatInfo }
  | { kind: "chat-removed"; body: { chat: string } }
  | { kind: "snapshot"; body: Snapshot };

interface Snapshot {
  chat_id: string;
  chat: Head;
  blocks: Block[];
  has_older: boolean;
}

interface Followed {
  /** Undefined until its snapshot has arrived. */
  state: ChatState | undefined;
  /** There are no older blocks. */
  isComplete: boolean;
  /** The tabs show another history of it. */
  isOther?: boolean;
}

/** How many blocks to ask for; the server always sends all blocks of a running turn. */
const TAIL = 50;
const POLL_SECONDS = 4;
/** How long a chat is followed after the last tab closed it, in case that tab is only reloading. */
const UNUSED_MS = 60_000;

export class Hub {
  #tabs = new Map<string, Tab>();
  #chats = new Map<string, Followed>();
  #list: Map<string, ChatInfo> | undefined;
  #next: string | null = null;
  #state: ConnectionState = "reconnecting";
  #version: string | null = null;
  /** Changes when the server's database is restored or rescued: then everything is loaded again. */
  #history: string | undefined;
  #isSignedOut = false;
  #tidying: ReturnType<typeof setTimeout> | undefined;
  #stream = new ServerStream({
    url: (isPoll) => this.#url() + (isPoll ? `&poll=${POLL_SECONDS}` : ""),
    take: (events) => this.#take(events),
    show: (state) => this.#show(state),
    signedOut: () => this.#signedOut(),
  });

  /** Handle a message from a tab; `send` replies to that tab. */
  hear(id: string, message: ToHub, send: Send): void {
    switch (message.say) {
      case "follow":
        holdKey(message.key);
        return this.#follow(id, message.chats, send);
      case "resync":
        return this.#resync(message.chat);
      case "check":
        holdKey(message.key);
        return this.#check();
      case "bye":
        this.#tabs.delete(id);
        return this.#tidyLater();
      default:
        message satisfies never;
    }
  }

  /** The machine slept. */
  woke(): void {
    if (this.#stream.silence > 12_000 && !this.#isSignedOut) this.#stream.check();
  }

  close(): void {
    clearTimeout(this.#tidying);
    this.#stream.close();
  }

  #follow(id: string, chats: string[], send: Send): void {
    const before = this.#tabs.get(id);
    this.#tabs.set(id, { send, chats: new Set(chats) });
    this.#tidyLater();
    if (before === undefined) this.#welcome(send);
    let isNew = false;
    for (const chat of chats) {
      if (before?.chats.has(chat)) continue;
      const known = this.#chats.get(chat);
      if (known?.state !== undefined) send(snapshotOf(known.state, known.isComplete));
      else if (known === undefined) isNew = this.#begin(chat);
    }
    // A page that was just loaded may have just signed in.
    const isFirst = before === undefined && (this.#tabs.size === 1 || this.#isSignedOut);
    if (isNew || isFirst) this.#connect();
  }

  #welcome(send: Send): void {
    send({ say: "status", state: this.#state, version: this.#version });
    if (this.#list !== undefined) send({ say: "chats", chats: [...this.#list.values()], next: this.#next });
  }

  #begin(chat: string): true {
    this.#chats.set(chat, { state: undefined, isComplete: false });
    return true;
  }

  #resync(chat: string): void {
    const followed = this.#chats.get(chat);
    if (followed === undefined) return;
    followed.state = undefined;
    this.#connect();
  }

  #check(): void {
    // Reply at once, so that the tab knows the hub is alive.
    this.#show(this.#state);
    if (this.#isSignedOut) this.#connect();
    else this.#stream.check();
  }

  #connect(): void {
    this.#isSignedOut = false;
    this.#stream.open();
  }

  #url(): string {
    const wanted = [...this.#chats].map(([id, { state }]) => (state ? `${id}:${state.head.seq}` : id));
    return `/api/stream?chats=${wanted.join(",")}&tail=${TAIL}${this.#history ? `&history=${this.#history}` : ""}`;
  }

  /** Pass on the received events, grouped by chat. */
  #take(events: SseEvent[]): void {
    const runs: { chat: string; events: RawEvent[] }[] = [];
    for (const { kind, data } of events) {
      if (this.#takeNews({ kind, body: data } as News)) continue;
      const { chat, ...body } = data as EventBody & { chat?: string };
      if (chat === undefined || !this.#fold(chat, kind, body)) continue;
      const last = runs.at(-1);
      if (last?.chat === chat) last.events.push([kind, body]);
      else runs.push({ chat, events: [[kind, body]] });
    }
    for (const run of runs) this.#tell(run.chat, { say: "events", ...run });
  }

  /** Handle everything except the events of a chat's log. */
  #takeNews({ kind, body }: News): boolean {
    switch (kind) {
      case "ping":
        // Tabs need to know that the connection is alive.
        this.#show(this.#state);
        return true;
      case "ready":
        this.#learnVersion(body.version);
        return true;
      case "chats":
        this.#takeHistory(body.history);
        this.#takeList(body.chats, body.next ?? null);
        return true;
      case "chat-changed":
        this.#takeChange(body);
        return true;
      case "chat-removed":
        this.#remove(body.chat);
        return true;
      case "snapshot":
        this.#takeSnapshot(body);
        return true;
      default:
        return false;
    }
  }

  /** Fold an event; false if it is not new. After a gap, asks for the chat again. */
  #fold(chat: string, kind: string, body: EventBody): boolean {
    const state = this.#chats.get(chat)?.state;
    if (state === undefined) return false;
    const { seq, first_seq = seq } = body;
    if (seq <= state.head.seq) return false;
    if (first_seq !== state.head.seq + 1) {
      this.#resync(chat);
      return false;
    }
    applyEvent(state, kind, body);
    return true;
  }

  #takeSnapshot(body: Snapshot): void {
    const followed = this.#chats.get(body.chat_id);
    if (followed === undefined) return;
    followed.isComplete = !body.has_older;
    followed.state = fromSnapshot(body.chat_id, body);
    this.#tell(body.chat_id, { ...snapshotOf(followed.state, followed.isComplete), isOther: followed.isOther ?? false });
    followed.isOther = false;
  }

  /** Discard state of a history that the server no longer has; its snapshots follow. */
  #takeHistory(history: string | undefined): void {
    if (this.#history !== undefined && history !== undefined && history !== this.#history)
      for (const followed of this.#chats.values()) {
        followed.state = undefined;
        followed.isOther = true;
      }
    this.#history = history ?? this.#history;
  }

  /** The newest chats and all followed ones: a followed chat that is missing was deleted. */
  #takeList(chats: ChatInfo[], next: string | null): void {
    this.#list = new Map(chats.map((chat) => [chat.id, chat]));
    this.#next = next;
    this.#tellAll({ say: "chats", chats, next });
    if (this.#chats.size === 0) void this.#askVersion();
    for (const [id, { state }] of this.#chats) {
      const known = this.#list.get(id);
      if (known === undefined) this.#remove(id);
      // The server was restored to an earlier state.
      else if (state !== undefined && known.last_seq < state.head.seq) this.#resync(id);
    }
  }

  #takeChange(chat: ChatInfo): void {
    this.#list?.set(chat.id, chat);
    this.#tellAll({ say: "chat-changed", chat });
  }

  #remove(chat: string): void {
    const isDeleted = this.#list?.delete(chat) ?? false;
    this.#chats.delete(chat);
    this.#tellAll({ say: "chat-removed", chat, isDeleted });
  }

  #show(state: ConnectionState): void {
    this.#state = state;
    this.#tellAll({ say: "status", state, version: this.#version });
  }

  #signedOut(): void {
    this.#isSignedOut = true;
    this.#state = "reconnecting";
    this.#list = undefined;
    this.#chats.forEach((chat) => (chat.state = undefined));
    this.#tellAll({ say: "signed-out" });
  }

  async #askVersion(): Promise<void> {
    const response = await fetch("/api/health").catch(() => undefined);
    if (!response?.ok) return;
    const { version } = (await response.json()) as { version: string };
    this.#learnVersion(version);
  }

  #learnVersion(version: string): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#show(this.#state);
  }

  #tell(chat: string, message: ToTab): void {
    for (const tab of this.#tabs.values()) if (tab.chats.has(chat)) tab.send(message);
  }

  #tellAll(message: ToTab): void {
    for (const tab of this.#tabs.values()) tab.send(message);
  }

  /** Stop following chats that no tab shows: the server keeps agents running for followed chats. */
  #tidyLater(): void {
    clearTimeout(this.#tidying);
    this.#tidying = setTimeout(() => {
      const isUsed = (id: string) => [...this.#tabs.values()].some((tab) => tab.chats.has(id));
      const unused = [...this.#chats.keys()].filter((id) => !isUsed(id));
      for (const id of unused) this.#chats.delete(id);
      if (unused.length > 0 && !this.#isSignedOut) this.#stream.open();
    }, UNUSED_MS);
  }
}

function snapshotOf(chat: ChatState, complete: boolean): Extract<ToTab, { say: "snapshot" }> {
  return { say: "snapshot", chat, complete, isOther: false };
}
