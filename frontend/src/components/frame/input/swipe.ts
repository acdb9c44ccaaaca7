// A swipe across the page goes to the next chat. Swipes from the screen's edges are left to the browser.

import { onCleanup } from "solid-js";

const EDGE_PIXELS = 32;
const LEAST_PIXELS = 90;
const LONGEST_MILLISECONDS = 500;

/** Calls back with 1 for a swipe to the left (onward) and -1 for one to the right (back). */
export function onSwipe(box: HTMLElement, go: (step: 1 | -1) => void): void {
  let start: { x: number; y: number; at: number } | undefined;

  function begin(event: TouchEvent) {
    const touch = event.touches[0];
    const isFree = event.touches.length === 1 && touch && !isEdge(touch) && !isOver(event.target) && !scrollsSideways(event.target, box);
    start = isFree ? { x: touch.clientX, y: touch.clientY, at: event.timeStamp } : undefined;
  }
  function end(event: TouchEvent) {
    const touch = event.changedTouches[0];
    if (!start || !touch || event.timeStamp - start.at > LONGEST_MILLISECONDS) return;
    const across = touch.clientX - start.x;
    const down = touch.clientY - start.y;
    start = undefined;
    if (Math.abs(across) < LEAST_PIXELS || Math.abs(across) < 3 * Math.abs(down)) return;
    if (!getSelection()?.isCollapsed) return;
    go(across < 0 ? 1 : -1);
  }
  box.addEventListener("touchstart", begin, { passive: true });
  box.addEventListener("touchend", end, { passive: true });
  onCleanup(() => {
    box.removeEventListener("touchstart", begin);
    box.removeEventListener("touchend", end);
  });
}

function isEdge(touch: Touch): boolean {
  return touch.clientX < EDGE_PIXELS || touch.clientX > innerWidth - EDGE_PIXELS;
}

/** Sheets and questions belong to the current chat, so swipes on them do nothing. */
function isOver(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("dialog, .dock") !== null;
}

/** Code and tables scroll sideways, and fields have a cursor. */
function scrollsSideways(target: EventTarget | null, box: HTMLElement): boolean {
  for (let at = target instanceof Element ? target : null; at && at !== box; at = at.parentElement) {
    if (at.scrollWidth > at.clientWidth + 1 && getComputedStyle(at).overflowX !== "visible") return true;
    if (at instanceof HTMLTextAreaElement || at instanceof HTMLInputElement || at instanceof HTMLSelectElement) return true;
  }
  return false;
}
