// Where a person was in a conversation when this tab was reloaded.
//
// Lives here: keeping that for the tab alone, until it is back. Lives elsewhere: going there (Conversation.tsx), what
// the browser remembers for longer (state/keep.ts).

import { onCleanup } from "solid-js";

export interface LeftPlace {
  /** The row at the top of the view. */
  readonly key: string;
  /** How far below the view's top edge it began, in pixels. */
  readonly top: number;
}

const nameOf = (chat: string) => `voxpilot.place.${chat}`;

/** Keep what `place` says when the page goes; undefined for the end, where everybody begins. */
export function keepPlace(chat: string, place: () => LeftPlace | undefined): void {
  const keep = () => {
    const now = place();
    try {
      if (now) sessionStorage.setItem(nameOf(chat), JSON.stringify(now));
    } catch {
      // Then they begin at the end.
    }
  };
  addEventListener("pagehide", keep);
  onCleanup(() => removeEventListener("pagehide", keep));
}

/** Where they were, told once. */
export function takePlace(chat: string): LeftPlace | undefined {
  try {
    const kept = sessionStorage.getItem(nameOf(chat));
    sessionStorage.removeItem(nameOf(chat));
    return kept === null ? undefined : (JSON.parse(kept) as LeftPlace);
  } catch {
    return undefined;
  }
}
