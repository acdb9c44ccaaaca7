// Room for an on-screen keyboard.
//
// If the browser draws its keyboard over the page instead of shrinking the page, we shrink it, so that
// the composer is never hidden.
import { onCleanup } from "solid-js";

/** Anything smaller is a browser bar, not a keyboard. */
const LEAST_PIXELS = 120;

export function fitAboveKeyboard(): void {
  const seen = window.visualViewport;
  if (!seen) return;
  const page = document.documentElement;
  const fit = () => {
    const isCovered = window.innerHeight - seen.height * seen.scale > LEAST_PIXELS;
    if (isCovered) page.style.setProperty("--frame-height", `${seen.height}px`);
    else page.style.removeProperty("--frame-height");
    if (isCovered) window.scrollTo(0, 0);
  };
  seen.addEventListener("resize", fit);
  onCleanup(() => seen.removeEventListener("resize", fit));
}
