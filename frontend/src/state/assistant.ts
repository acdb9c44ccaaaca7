// The model that answers in llm mode.
//
// Lives here: which one it is and what could be chosen, asked for when first
// wanted and again when told; trying one. Lives elsewhere: choosing it, which is
// a setting.

import { createSignal } from "solid-js";

import { readAssistant, type AssistantInfo } from "../api/client";

export { checkAssistant, listModels } from "../api/client";

const [known, setKnown] = createSignal<AssistantInfo>();
let asking: Promise<void> | undefined;

/** Undefined until known; the first reader makes us ask. */
export function assistant(): AssistantInfo | undefined {
  if (known() === undefined) void refreshAssistant().catch(() => undefined);
  return known();
}

export function refreshAssistant(): Promise<void> {
  asking ??= readAssistant()
    .then((now) => void setKnown(now))
    .finally(() => (asking = undefined));
  return asking;
}
