// Whether to take the stream in sips.
//
// Lives here: some proxies hold a stream back until it ends, and then short
// polls get through; when to try them, and for how long. Lives elsewhere: the
// streams and polls themselves (line.ts).

/** So many attempts or streams in a row that hung: perhaps something on the way holds streams back. */
const HELD_BACK = 2;
/** A stream that still speaks after this time is not held back. */
const FLOWS_MS = 5_000;
/** How long to be content with polling before a stream is tried again. */
const POLLING_MS = 300_000;

export class Polling {
  #hung = 0;
  #until = 0;

  /** Whether the next attempt is a poll: every other one while they hang, and all for a while once polls work. */
  isNext(): boolean {
    if (this.#until > 0 && Date.now() > this.#until) this.#hung = this.#until = 0;
    return this.#until > 0 || (this.#hung >= HELD_BACK && this.#hung % 2 === 0);
  }

  /** An attempt brought no answer, or a stream fell silent. */
  hung(): void {
    this.#hung++;
    this.#until = 0;
  }

  /** A stream spoke, so long after it was opened. */
  spoke(age: number): void {
    if (age > FLOWS_MS) this.#hung = 0;
  }

  /** A poll ended as it should. */
  worked(): void {
    if (this.#until === 0) this.#until = Date.now() + POLLING_MS;
  }
}
