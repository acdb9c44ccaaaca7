// Whether everything on a card has been in view.
//
// Nothing can be allowed before its end has been in view, because approval covers the hidden part too.
import { createSignal, onCleanup, type Accessor } from "solid-js";

export interface Seen {
  /** The end of every part has been in view since its size last changed. */
  readonly isAll: Accessor<boolean>;
  /** Give this to an element at the end of a part that scrolls. */
  end(element: HTMLElement): void;
  /** More is shown now: start again from the top. */
  again(): void;
}

export function createSeen(): Seen {
  const [unseen, setUnseen] = createSignal<ReadonlySet<HTMLElement>>(new Set());
  const mark = (element: HTMLElement, isSeen: boolean) =>
    setUnseen((before) => {
      const after = new Set(before);
      if (isSeen) after.delete(element);
      else after.add(element);
      return after;
    });
  const starts = new Map<HTMLElement, () => void>();
  return {
    again: () => starts.forEach((start) => start()),
    isAll: () => unseen().size === 0,
    end(element) {
      mark(element, false);
      if (typeof IntersectionObserver === "undefined") return;
      const looking = new IntersectionObserver(
        (entries) => {
          if (entries.some((entry) => entry.isIntersecting)) mark(element, true);
        },
        { threshold: 1 },
      );
      const look = () => {
        mark(element, false);
        looking.unobserve(element);
        looking.takeRecords();
        looking.observe(element);
      };
      starts.set(element, () => {
        for (let above = element.parentElement; above && above !== document.body; above = above.parentElement) {
          above.scrollTop = 0;
          if (above.classList.contains("question")) break;
        }
        look();
      });
      let height = -1;
      // Growing may move the end out of view; the observer reports that at once.
      const growing = new ResizeObserver(() => {
        const now = element.parentElement?.scrollHeight ?? 0;
        if (now <= height) return;
        height = now;
        look();
      });
      queueMicrotask(() => {
        looking.observe(element);
        for (const part of element.parentElement?.children ?? []) growing.observe(part);
      });
      onCleanup(() => {
        starts.delete(element);
        looking.disconnect();
        growing.disconnect();
        mark(element, true);
      });
    },
  };
}
