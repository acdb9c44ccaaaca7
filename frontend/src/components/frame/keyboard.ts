// Room for a keyboard on glass.
//
// Where the browser lays its keyboard over the page instead of making the page smaller, we make it smaller, so that
// the composer is never hidden.
import { onCleanup } from "solid-js";

/** Less than this is no keyboard but a bar of the browser. */
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
