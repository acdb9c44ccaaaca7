// Whether the panel is open, and whether it fits next to the conversation.

import { createSignal, onCleanup, type Accessor } from "solid-js";

import { recall, remember } from "../../state";

const ROOM = "(min-width: 72rem)";

export interface PanelState {
  readonly isOpen: Accessor<boolean>;
  readonly isBeside: Accessor<boolean>;
  readonly isSheet: Accessor<boolean>;
  toggle(): void;
}

export function createPanel(): PanelState {
  const room = matchMedia(ROOM);
  const [hasRoom, setRoom] = createSignal(room.matches);
  const [isWished, setWished] = createSignal(recall("panel") !== "closed");
  const [isSheet, setSheet] = createSignal(false);
  const onChange = () => {
    setRoom(room.matches);
    setSheet(false);
  };
  room.addEventListener("change", onChange);
  onCleanup(() => room.removeEventListener("change", onChange));
  const isBeside = () => hasRoom() && isWished();
  return {
    isOpen: () => isBeside() || isSheet(),
    isBeside,
    isSheet,
    toggle() {
      if (!hasRoom()) {
        setSheet(!isSheet());
        return;
      }
      setWished(!isWished());
      remember("panel", isWished() ? "open" : "closed");
    },
  };
}
