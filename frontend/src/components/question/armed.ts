// Whether a card may be answered yet.
//
// A card takes no answer in its first half second on a visible page, so that a click meant for something else, or
// one prepared by another window, decides nothing.
import { createSignal, onCleanup, type Accessor } from "solid-js";

const REST_MILLISECONDS = 500;

export function createArmed(): Accessor<boolean> {
  const [isArmed, setArmed] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  function begin() {
    clearTimeout(timer);
    setArmed(false);
    if (document.visibilityState === "visible") timer = setTimeout(() => setArmed(true), REST_MILLISECONDS);
  }
  begin();
  document.addEventListener("visibilitychange", begin);
  onCleanup(() => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", begin);
  });
  return isArmed;
}
