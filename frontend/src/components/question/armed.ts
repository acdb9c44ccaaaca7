// Whether a card may be answered yet.
//
// A card accepts no answer in its first half second on a visible page, so that a click meant for something else, or
// one prepared by another window, decides nothing.
import { createSignal, onCleanup, type Accessor } from "solid-js";

const REST_MILLISECONDS = 500;

export function createArmed(): Accessor<boolean> {
  const [isArmed, setArmed] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame = 0;
  function rest() {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    setArmed(false);
  }
  function begin() {
    rest();
    if (document.visibilityState !== "visible") return;
    // Counted from when it is visible, not created: a busy page may draw it late.
    frame = requestAnimationFrame(() => (timer = setTimeout(() => setArmed(true), REST_MILLISECONDS)));
  }
  begin();
  document.addEventListener("visibilitychange", begin);
  onCleanup(() => {
    rest();
    document.removeEventListener("visibilitychange", begin);
  });
  return isArmed;
}
