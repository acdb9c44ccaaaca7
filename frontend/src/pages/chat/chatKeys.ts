// Keys of an open chat: `/` to write, Esc twice to stop.

import { createSignal, onCleanup, type Accessor } from "solid-js";

import { isTyping } from "../../components/frame/input/keys";

const AGAIN_WITHIN_MILLISECONDS = 2000;

export function createChatKeys(chat: { isRunning: () => boolean; stop: () => void; write: () => void }): {
  isAboutToStop: Accessor<boolean>;
} {
  const [isAboutToStop, setAboutToStop] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;

  function onEscape() {
    clearTimeout(timer);
    if (isAboutToStop()) {
      setAboutToStop(false);
      chat.stop();
      return;
    }
    setAboutToStop(true);
    timer = setTimeout(() => setAboutToStop(false), AGAIN_WITHIN_MILLISECONDS);
  }
  function onKey(event: KeyboardEvent) {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && chat.isRunning()) onEscape();
    else if (event.key === "/" && !isTyping(event) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      chat.write();
    }
  }
  document.addEventListener("keydown", onKey);
  onCleanup(() => {
    clearTimeout(timer);
    document.removeEventListener("keydown", onKey);
  });
  return { isAboutToStop };
}
