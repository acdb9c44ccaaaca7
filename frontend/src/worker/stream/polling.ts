// Whether to poll instead of streaming.
//
// Lives here: some proxies hold back a stream until it ends, but short
// polls get through; when to try them, and for how long. Lives elsewhere: the
// streams and polls themselves (serverStream.ts).

/** After this many hung attempts or streams in a row, assume a proxy holds streams back. */
const HELD_BACK = 2;
/** A stream that still delivers after this time is not held back. */
const FLOWS_MS = 5_000;
/** How long to poll before a stream is tried again. */
const POLLING_MS = 300_000;

export class Polling {
  #hung = 0;
  #until = 0;

  /** Whether the next attempt is a poll: every other one while streams hang, and all for some time once polls work. */
  isNext(): boolean {
    if (this.#until > 0 && Date.now() > this.#until) this.#hung = this.#until = 0;
    return this.#until > 0 || (this.#hung >= HELD_BACK && this.#hung % 2 === 0);
  }

  /** An attempt got no response, or a stream fell silent. */
  hung(): void {
    this.#hung++;
    this.#until = 0;
  }

  /** A stream delivered something, this long after it was opened. */
  spoke(age: number): void {
    if (age > FLOWS_MS) this.#hung = 0;
  }

  /** A poll ended as it should. */
  worked(): void {
    if (this.#until === 0) this.#until = Date.now() + POLLING_MS;
  }
}
