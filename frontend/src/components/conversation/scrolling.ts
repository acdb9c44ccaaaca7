// Scrolling that never moves the text being read.
//
// Lives here: following the end while a person is at the end, and otherwise keeping the row in view where it
// is, whatever grows, folds or arrives above or below it. Lives elsewhere: which rows are drawn (Conversation.tsx).
import { createSignal, onCleanup, type Accessor } from "solid-js";

/** Within this distance the box is considered to be at its end. */
const NEAR_PIXELS = 40;
/** How long after a click changes in height are attributed to it. */
const HOLD_MILLISECONDS = 300;

export interface Place {
  readonly row: Element;
  /** How far below the top edge of the view it begins, in pixels. */
  readonly top: number;
}

export interface Scrolling {
  /** Whether the view follows the end. */
  readonly isAtEnd: Accessor<boolean>;
  /** Call once the scrolling box and the column inside it are there. */
  attach(box: HTMLElement, column: HTMLElement): void;
  toEnd(): void;
  /** The first row in view; undefined at the end. */
  place(): Place | undefined;
  /** Scroll a row back to where it was. */
  toPlace(place: Place): void;
}

export function createScrolling(): Scrolling {
  const [isAtEnd, setAtEnd] = createSignal(true);
  let box: HTMLElement | undefined;
  let column: HTMLElement | undefined;
  let lastTop = 0;
  let lastHeight = 0;
  let anchor: Place | undefined;
  let held: Place | undefined;

  function fromEnd(): number {
    return box!.scrollHeight - box!.scrollTop - box!.clientHeight;
  }

  function onScroll() {
    const isUpward = box!.scrollTop < lastTop - 1 && box!.scrollHeight >= lastHeight;
    // Growth moves the end without scrolling, so only scrolling up stops following it.
    if (fromEnd() <= NEAR_PIXELS) setAtEnd(true);
    else if (isUpward) setAtEnd(false);
    remember();
  }

  function remember() {
    lastTop = box!.scrollTop;
    lastHeight = box!.scrollHeight;
    anchor = isAtEnd() ? undefined : firstVisible(box!, column!);
  }

  function onResize() {
    if (held) {
      keep(held);
      setAtEnd(fromEnd() <= NEAR_PIXELS);
    } else if (isAtEnd()) box!.scrollTop = box!.scrollHeight;
    else if (anchor) keep(anchor);
    remember();
  }

  function keep({ row, top }: Place) {
    const moved = row.isConnected ? topOf(row, box!) - top : 0;
    if (Math.abs(moved) >= 1) box!.scrollTop += moved;
  }

  /** A clicked element stays in place, whatever it expands or collapses. */
  function onPress(event: Event) {
    const row = event.target instanceof Element ? event.target.closest("summary, button") : null;
    if (!row) return;
    hold({ row, top: topOf(row, box!) });
  }

  function hold(place: Place) {
    held = place;
    setTimeout(() => held === place && (held = undefined), HOLD_MILLISECONDS);
  }

  return {
    isAtEnd,
    attach(scroller, content) {
      box = scroller;
      column = content;
      const watch = new ResizeObserver(onResize);
      watch.observe(scroller);
      watch.observe(content);
      scroller.addEventListener("scroll", onScroll, { passive: true });
      scroller.addEventListener("click", onPress, { capture: true });
      onCleanup(() => {
        watch.disconnect();
        scroller.removeEventListener("scroll", onScroll);
        scroller.removeEventListener("click", onPress, { capture: true });
      });
    },
    toEnd() {
      setAtEnd(true);
      if (box) box.scrollTop = box.scrollHeight;
    },
    place: () => anchor,
    toPlace(place) {
      setAtEnd(false);
      // Rows around it get their real heights only now that they are in view.
      hold(place);
      keep(place);
      remember();
    },
  };
}

function firstVisible(box: HTMLElement, column: HTMLElement): Place | undefined {
  const rows = column.children;
  let low = 0;
  let high = rows.length - 1;
  // Rows are in order, so the first one in view is found by binary search.
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bottomOf(rows[middle]!, box) > 0) high = middle;
    else low = middle + 1;
  }
  const row = rows[low];
  return row && { row, top: topOf(row, box) };
}

function topOf(row: Element, box: HTMLElement): number {
  return row.getBoundingClientRect().top - box.getBoundingClientRect().top;
}

function bottomOf(row: Element, box: HTMLElement): number {
  return row.getBoundingClientRect().bottom - box.getBoundingClientRect().top;
}
