// The model that answers in llm mode.
//
// Lives here: the current one and the choices, fetched on first
// use and on request; testing one. Lives elsewhere: choosing it, which is
// a setting.

import { createSignal } from "solid-js";

import { readAssistant, type AssistantInfo } from "../../api/client";

export { checkAssistant, listModels } from "../../api/client";

const [known, setKnown] = createSignal<AssistantInfo>();
let asking: Promise<void> | undefined;

/** Undefined until loaded; the first read starts loading. */
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
