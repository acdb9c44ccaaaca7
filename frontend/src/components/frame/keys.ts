// Keys that work everywhere, and telling typing from commanding.

export interface KeyHint {
  readonly keys: readonly string[];
  readonly does: string;
}

const isApple = /Mac|iP(hone|ad|od)/.test(navigator.platform);
export const COMMAND_KEY = isApple ? "⌘" : "Ctrl";

export const KEY_HINTS: readonly KeyHint[] = [
  { keys: [COMMAND_KEY, "K"], does: "Go to a chat or do something" },
  { keys: ["/"], does: "Write a message" },
  { keys: ["Enter"], does: "Send" },
  { keys: ["Shift", "Enter"], does: "New line" },
  { keys: ["Esc", "Esc"], does: "Stop the running turn" },
  { keys: ["Y"], does: "Allow once, when something is asked" },
  { keys: ["A"], does: "Always allow" },
  { keys: ["N"], does: "Reject" },
  { keys: ["Alt", "Y"], does: "The same while writing; likewise with the other letters" },
  { keys: ["?"], does: "Show these keys" },
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
