// A box that keeps its own end in view while it grows, unless somebody has scrolled up in it.
import { createEffect, on } from "solid-js";

/** This close to the end counts as being there. */
const NEAR_PIXELS = 24;

/** Returns what the box's `onScroll` is to call. */
export function followEnd(box: () => HTMLElement, content: () => unknown, isOn: () => boolean): () => void {
  let isAtEnd = true;
  createEffect(
    on(content, () => {
      if (isOn() && isAtEnd) box().scrollTop = box().scrollHeight;
    }),
  );
  return () => (isAtEnd = box().scrollHeight - box().scrollTop - box().clientHeight <= NEAR_PIXELS);
}
