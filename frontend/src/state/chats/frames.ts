// Drawing once per frame.
//
// Lives here: what arrives waits for the next frame and is shown together, in
// order, and never so much at once that the page stops responding. Lives
// elsewhere: what is shown (hub.ts).

/** How much of a frame may be spent before the rest waits for the next. */
const WORK_MS = 10;
/** A hidden page has no frames, but its title must stay up to date. */
const HIDDEN_MS = 250;

/** Calls `show` with each item in order, batched per frame. */
export class Frames<T> {
  #waiting: T[] = [];
  #next = 0;
  #isDue = false;

  constructor(
    private readonly show: (thing: T) => void,
    private readonly together: (work: () => void) => void,
  ) {}

  add(thing: T): void {
    this.#waiting.push(thing);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    let isDone = false;
    const work = () => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      this.#work();
    };
    const frame = requestAnimationFrame(work);
    const timer = setTimeout(work, HIDDEN_MS);
  }

  #work(): void {
    const until = performance.now() + WORK_MS;
    try {
      this.together(() => {
        while (this.#next < this.#waiting.length && performance.now() < until) {
          this.show(this.#waiting[this.#next++] as T);
        }
      });
    } finally {
      this.#isDue = false;
      if (this.#next < this.#waiting.length) this.#schedule();
      else [this.#waiting, this.#next] = [[], 0];
    }
  }
}
