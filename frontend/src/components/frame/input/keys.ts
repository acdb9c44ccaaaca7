import { labels } from "../labels";
// Shortcuts that work everywhere, and telling typing from shortcuts.

export interface KeyHint {
  readonly keys: readonly string[];
  readonly does: string;
}

const isApple = /Mac|iP(hone|ad|od)/.test(navigator.platform);
export const COMMAND_KEY = isApple ? "⌘" : "Ctrl";

export const KEY_HINTS: readonly KeyHint[] = [
  { keys: [COMMAND_KEY, "K"], does: labels.keys.palette },
  { keys: ["/"], does: labels.keys.write },
  { keys: ["Enter"], does: labels.keys.send },
  { keys: ["Shift", "Enter"], does: labels.keys.newLine },
  { keys: ["Esc", "Esc"], does: labels.keys.stop },
  { keys: ["Y"], does: labels.keys.allowOnce },
  { keys: ["A"], does: labels.keys.alwaysAllow },
  { keys: ["N"], does: labels.keys.reject },
  { keys: ["Alt", "Y"], does: labels.keys.whileTyping },
  { keys: ["?"], does: labels.keys.shortcuts },
];

/** Whether a key press goes into a field. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type);
}

export function isCommandKey(event: KeyboardEvent): boolean {
  return isApple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
}
