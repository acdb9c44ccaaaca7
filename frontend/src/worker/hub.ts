// The hub: one connection to the server for all tabs of a browser.
//
// Lives here: which tab shows what, the fold of every chat that is shown, so
// that a tab that comes later begins where the others are, and passing each
// event on once. Lives elsewhere: keeping the connection (line.ts), what a tab
// does with events (state/), where the hub runs (shared.ts, state/hub.ts).

import type { ChatInfo } from "../api/client";
import { applyEvent, fromSnapshot } from "../state/applyEvent";
import type { Block, ChatState, Head } from "../state/shapes";
import { Line } from "./line";
import type { ConnectionState, RawEvent, ToHub, ToTab } from "./messages";
import type { SseEvent } from "./sse";

export type Send = (message: ToTab) => void;

interface Tab {
  send: Send;
  chats: Set<string>;
}

interface Snapshot {
  chat_id: string;
  chat: Head;
  blocks: Block[];
  has_older: boolean;
}

interface Followed {
  /** Undefined until its snapshot has come. */
  state: ChatState | undefined;
  /** There are no older blocks. */
  isComplete: boolean;
}

/** How many blocks to ask for; of a turn that runs, the server sends all. */
const TAIL = 50;
const POLL_SECONDS = 4;
/** How long a chat is followed after the last tab left it, for a tab that is only being reloaded. */
const UNUSED_MS = 60_000;

export class Hub {
  #tabs = new Map<string, Tab>();
  #chats = new Map<string, Followed>();
  #list: Map<string, ChatInfo> | undefined;
  #state: ConnectionState = "reconnecting";
  #version: string | null = null;
  #isSignedOut = false;
  #tidying: ReturnType<typeof setTimeout> | undefined;
  #line = new Line({
    url: (isPoll) => this.#url() + (isPoll ? `&poll=${POLL_SECONDS}` : ""),
    take: (events) => this.#take(events),
    show: (state) => this.#show(state),
    signedOut: () => this.#signedOut(),
  });

  /** What a tab says; `send` reaches that tab. */
  hear(id: string, message: ToHub, send: Send): void {
    switch (message.say) {
      case "follow":
        return this.#follow(id, message.chats, send);
      case "resync":
        return this.#resync(message.chat);
      case "check":
        return this.#check();
      case "bye":
        this.#tabs.delete(id);
        return this.#tidyLater();
      default:
        message satisfies never;
    }
  }

  /** Time has passed unnoticed: the machine slept. */
  woke(): void {
    if (this.#line.silence > 12_000 && !this.#isSignedOut) this.#line.check();
  }

  close(): void {
    clearTimeout(this.#tidying);
    this.#line.close();
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
    // A page that was just loaded may have signed in on its way here.
    const isFirst = before === undefined && (this.#tabs.size === 1 || this.#isSignedOut);
    if (isNew || isFirst) this.#connect();
  }

  #welcome(send: Send): void {
    send({ say: "status", state: this.#state, version: this.#version });
    if (this.#list !== undefined) send({ say: "chats", chats: [...this.#list.values()] });
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
    // An answer at once, so that the tab knows of us.
    this.#show(this.#state);
    if (this.#isSignedOut) this.#connect();
    else this.#line.check();
  }

  #connect(): void {
    this.#isSignedOut = false;
    this.#line.open();
  }

  #url(): string {
    const wanted = [...this.#chats].map(([id, { state }]) => (state ? `${id}:${state.head.seq}` : id));
    return `/api/stream?chats=${wanted.join(",")}&tail=${TAIL}`;
  }

  /** Pass on what came, the events of each chat together. */
  #take(events: SseEvent[]): void {
    const runs: { chat: string; events: RawEvent[] }[] = [];
    for (const { kind, data } of events) {
      const body = data as { [name: string]: never };
      if (this.#takeNews(kind, body)) continue;
      const { chat, ...own } = body;
      if (chat === undefined || !this.#fold(chat, kind, own as RawEvent[1])) continue;
      const last = runs.at(-1);
      if (last?.chat === chat) last.events.push([kind, own as RawEvent[1]]);
      else runs.push({ chat, events: [[kind, own as RawEvent[1]]] });
    }
    for (const run of runs) this.#tell(run.chat, { say: "events", ...run });
  }

  /** What is not an event of a chat's log. */
  #takeNews(kind: string, body: { [name: string]: never }): boolean {
    switch (kind) {
      case "ping":
        // Tabs, too, want to know that somebody is there.
        this.#show(this.#state);
        return true;
      case "ready":
        this.#learnVersion(body["version"] as unknown as string);
        return true;
      case "chats":
        this.#takeList(body["chats"] as unknown as ChatInfo[]);
        return true;
      case "chat-changed":
        this.#takeChange(body as unknown as ChatInfo);
        return true;
      case "chat-removed":
        this.#remove(body["chat"] as unknown as string);
        return true;
      case "snapshot":
        this.#takeSnapshot(body as unknown as Snapshot);
        return true;
      default:
        return false;
    }
  }

  /** Whether the event is news; a gap means that we must ask again. */
  #fold(chat: string, kind: string, body: RawEvent[1]): boolean {
    const state = this.#chats.get(chat)?.state;
    if (state === undefined) return false;
    const { seq, first_seq = seq } = body as { seq: number; first_seq?: number };
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
    this.#tell(body.chat_id, snapshotOf(followed.state, followed.isComplete));
  }

  #takeList(chats: ChatInfo[]): void {
    this.#list = new Map(chats.map((chat) => [chat.id, chat]));
    this.#tellAll({ say: "chats", chats });
    if (this.#chats.size === 0) void this.#askVersion();
    for (const [id, { state }] of this.#chats) {
      const known = this.#list.get(id);
      if (known === undefined) this.#remove(id);
      // The server was put back to an earlier day.
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

  /** Stop following what no tab shows: the server keeps the agents of chats that somebody follows. */
  #tidyLater(): void {
    clearTimeout(this.#tidying);
    this.#tidying = setTimeout(() => {
      const isUsed = (id: string) => [...this.#tabs.values()].some((tab) => tab.chats.has(id));
      const unused = [...this.#chats.keys()].filter((id) => !isUsed(id));
      for (const id of unused) this.#chats.delete(id);
      if (unused.length > 0 && !this.#isSignedOut) this.#line.open();
    }, UNUSED_MS);
  }
}

function snapshotOf(chat: ChatState, complete: boolean): ToTab {
  return { say: "snapshot", chat, complete };
}
