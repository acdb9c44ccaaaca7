// A copy button with feedback.
import { createSignal, Show, type JSX } from "solid-js";

import { CheckIcon, CopyIcon } from "../../icons";
import { copyText } from "./copyText";
import { labels } from "../labels";

export function CopyButton(props: { text: () => string; label: string; words?: string }): JSX.Element {
  const [said, setSaid] = createSignal("");
  async function copy() {
    setSaid((await copyText(props.text())) ? labels.copied : labels.notCopied);
    setTimeout(() => setSaid(""), 1500);
  }
  return (
    <button type="button" class="text-button" aria-label={props.label} title={props.label} onClick={() => void copy()}>
      <Show when={said() === labels.copied} fallback={<CopyIcon />}>
        <CheckIcon />
      </Show>
      <Show when={said() || props.words}>{(words) => <span>{words()}</span>}</Show>
      <span class="unseen" role="status">
        {said()}
      </span>
    </button>
  );
}
