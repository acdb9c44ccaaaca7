// The one connection to the server, kept alive.
//
// Lives here: opening the stream, noticing that it is dead, reopening it
// with growing pauses, and switching to a new one without a gap. Lives
// elsewhere: what to ask for and what to do with events (hub.ts).

import { key } from "../../api/key";
import { connect, Refused } from "./connect";
import type { ConnectionState } from "../messages";
import { Polling } from "./polling";
import { SseReader, type SseEvent } from "./sse";

export interface StreamOwner {
  /** The URL to connect to, which names the last events seen. A poll ends with the first event or after a short time. */
  url(isPoll: boolean): string;
  take(events: SseEvent[]): void;
  show(state: ConnectionState): void;
  /** The server rejected our sign-in; nothing is tried until `open` is called. */
  signedOut(): void;
}

/** The server pings every 10 s; after two and a half times that in silence the connection is dead. */
export const STALE_MS = 25_000;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5_000;
/** How long to wait for a response, by failures so far: a connection that died during sleep is noticed soon. */
const OPEN_LIMITS_MS = [1_500, 4_000, 8_000];
/** If something arrived within this time, there is no need to check. */
const ALIVE_MS = 1_000;
/** A stream that lasts this long resets the count of failures. */
const STEADY_MS = 2_000;
/** After this many attempts without a response we report being offline, and keep trying. */
const GIVEN_UP = 4;

/** The pause between two polls. */
const POLL_PAUSE_MS = 200;

interface Stream {
  abort: AbortController;
  isPoll: boolean;
  openedAt: number;
  heardAt: number;
}

interface Opening {
  abort: AbortController;
  isPoll: boolean;
  startedAt: number;
  /** The key of the sign-in that it is opened with. */
  key: string | null;
}

export class ServerStream {
  #owner: StreamOwner;
  #stream: Stream | undefined;
  #opening: Opening | undefined;
  #isOutdated = false;
  /** The machine slept or the connection died: other open connections may be dead as well. */
  #isSuspect = false;
  #held: SseEvent[] | undefined;
  #failures = 0;
  /** Failed attempts in a row: an unstable connection is down, but the server is not gone. */
  #unanswered = 0;
  #polling = new Polling();
  #retry: ReturnType<typeof setTimeout> | undefined;
  #stale: ReturnType<typeof setTimeout> | undefined;

  constructor(owner: StreamOwner) {
    this.#owner = owner;
  }

  /** Connect, or switch to the owner's current URL: the new stream opens before the old one closes. */
  open(): void {
    if (this.#opening !== undefined) {
      this.#isOutdated = true;
      return;
    }
    clearTimeout(this.#retry);
    void this.#open();
  }

  /** Check whether the connection is alive: after sleep, when the network is back, or when a person asks. */
  check(): void {
    const now = Date.now();
    if (this.#opening !== undefined) {
      if (now - this.#opening.startedAt < ALIVE_MS) return;
      this.#isSuspect = true;
      this.#opening.abort.abort("retried");
      return;
    }
    if (this.#stream !== undefined && now - this.#stream.heardAt < ALIVE_MS) return;
    this.#isSuspect = true;
    this.open();
  }

  /** Milliseconds since anything arrived. */
  get silence(): number {
    return this.#stream === undefined ? Infinity : Date.now() - this.#stream.heardAt;
  }

  close(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#stale);
    this.#opening?.abort.abort("closed");
    this.#stream?.abort.abort("closed");
    this.#opening = this.#stream = undefined;
  }

  async #open(): Promise<void> {
    const opening: Opening = { abort: new AbortController(), isPoll: this.#polling.isNext(), startedAt: Date.now(), key: key() };
    this.#opening = opening;
    this.#isOutdated = false;
    // The new stream repeats everything the old one sends from here on; use the one that survives.
    this.#held = [];
    try {
      const url = this.#owner.url(opening.isPoll);
      const body = await connect(url, opening.abort, this.#openLimit(opening), this.#isSuspect);
      if (this.#opening === opening) this.#changeOver(opening, body);
      else void body.cancel();
    } catch (error) {
      if (this.#opening === opening) this.#fail(error);
    }
  }

  #changeOver(opening: Opening, body: ReadableStream<Uint8Array>): void {
    this.#stream?.abort.abort("replaced");
    const now = Date.now();
    const stream: Stream = { ...opening, openedAt: now, heardAt: now };
    this.#opening = this.#held = undefined;
    this.#isSuspect = false;
    this.#unanswered = 0;
    this.#stream = stream;
    this.#owner.show("live");
    this.#watch(stream);
    void this.#read(stream, body);
    if (this.#isOutdated) this.open();
  }

  async #read(stream: Stream, body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = new SseReader();
    const chunks = body.getReader();
    try {
      for (let next = await chunks.read(); !next.done; next = await chunks.read()) {
        if (this.#stream !== stream) return;
        stream.heardAt = Date.now();
        if (!stream.isPoll) this.#polling.spoke(stream.heardAt - stream.openedAt);
        this.#take(reader.take(next.value));
      }
      if (stream.isPoll && this.#stream === stream) return this.#pollAgain();
    } catch {
      // Cut off: only its end matters.
    }
    stream.abort.abort("over");
    if (this.#stream === stream) this.#lose(stream);
  }

  #pollAgain(): void {
    this.#polling.worked();
    this.#failures = 0;
    this.#stream = undefined;
    clearTimeout(this.#stale);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.open(), POLL_PAUSE_MS);
  }

  #take(events: SseEvent[]): void {
    if (this.#held !== undefined) this.#held.push(...events);
    else if (events.length > 0) this.#owner.take(events);
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (held.length > 0) this.#owner.take(held);
  }

  #lose(stream: Stream): void {
    this.#failures = Date.now() - stream.openedAt > STEADY_MS ? 0 : this.#failures + 1;
    this.#stream = undefined;
    clearTimeout(this.#stale);
    this.#showDown();
    if (this.#opening === undefined) this.#tryLater();
  }

  #fail(error: unknown): void {
    const why: unknown = this.#opening?.abort.signal.reason;
    const wasAskedAnew = why === "retried";
    // Refused for a key that was replaced since: the person has signed in meanwhile.
    const wasSignedIn = this.#opening?.key !== key();
    this.#opening = undefined;
    this.#release();
    if (error instanceof Refused && error.status === 401 && !wasSignedIn) {
      this.close();
      this.#owner.signedOut();
      return;
    }
    if (why === "slow") this.#polling.hung();
    if (!wasAskedAnew) {
      this.#failures++;
      this.#unanswered++;
    }
    if (this.#stream === undefined) this.#showDown();
    if (wasAskedAnew) this.open();
    else this.#tryLater();
  }

  #tryLater(): void {
    const most = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.open(), most * (0.5 + Math.random() / 2));
  }

  /** Ends a stream that has been silent for too long. */
  #watch(stream: Stream): void {
    clearTimeout(this.#stale);
    const left = stream.heardAt + STALE_MS - Date.now();
    if (left > 0) this.#stale = setTimeout(() => this.#stream === stream && this.#watch(stream), left + 10);
    else this.#end(stream);
  }

  #end(stream: Stream): void {
    this.#isSuspect = true;
    this.#polling.hung();
    stream.abort.abort("stale");
  }

  #openLimit({ isPoll }: Opening): number {
    const tries = isPoll ? OPEN_LIMITS_MS.length : this.#failures;
    return OPEN_LIMITS_MS[Math.min(tries, OPEN_LIMITS_MS.length - 1)] as number;
  }

  #showDown(): void {
    const isHopeful = navigator.onLine && this.#unanswered < GIVEN_UP;
    this.#owner.show(isHopeful ? "reconnecting" : "offline");
  }
}
