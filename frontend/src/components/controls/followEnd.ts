// A box that follows its end while it grows, unless a person has scrolled up.
import { createEffect, on } from "solid-js";

/** Within this distance the box is considered to be at its end. */
const NEAR_PIXELS = 24;

/** Returns a handler for the box's `onScroll`. */
export function followEnd(box: () => HTMLElement, content: () => unknown, isOn: () => boolean): () => void {
  let isAtEnd = true;
  createEffect(
    on(content, () => {
      if (isOn() && isAtEnd) box().scrollTop = box().scrollHeight;
    }),
  );
  return () => (isAtEnd = box().scrollHeight - box().scrollTop - box().clientHeight <= NEAR_PIXELS);
}
