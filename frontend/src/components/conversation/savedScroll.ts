// The scroll position of a conversation across a reload of the tab.
//
// Lives here: storing it for this tab until it has reloaded. Lives elsewhere: restoring it (Conversation.tsx), what
// the browser remembers for longer (state/stored/localStore.ts).

import { onCleanup } from "solid-js";

export interface SavedScroll {
  /** The row at the top of the view. */
  readonly key: string;
  /** Its distance from the top of the view, in pixels. */
  readonly top: number;
}

const nameOf = (chat: string) => `voxpilot.place.${chat}`;

/** Store the result of `place` when the page unloads; undefined for the end, the default. */
export function saveScroll(chat: string, place: () => SavedScroll | undefined): void {
  const keep = () => {
    const now = place();
    try {
      if (now) sessionStorage.setItem(nameOf(chat), JSON.stringify(now));
    } catch {
      // The conversation then opens at its end.
    }
  };
  addEventListener("pagehide", keep);
  onCleanup(() => removeEventListener("pagehide", keep));
}

/** The stored position; can be read once. */
export function takeSavedScroll(chat: string): SavedScroll | undefined {
  try {
    const kept = sessionStorage.getItem(nameOf(chat));
    sessionStorage.removeItem(nameOf(chat));
    return kept === null ? undefined : (JSON.parse(kept) as SavedScroll);
  } catch {
    return undefined;
  }
}
