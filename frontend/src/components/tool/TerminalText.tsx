// Output of a command: its colours and nothing else of it, in a box that scrolls by itself.
import { createMemo, createSignal, For, Show, type JSX } from "solid-js";

import { parseAnsi } from "./ansi";

/** Lines shown before somebody asks for all of them. */
const LINES_AT_FIRST = 200;

export function TerminalText(props: { text: string; label: string }): JSX.Element {
  const [isWhole, setWhole] = createSignal(false);
  const lines = createMemo(() => props.text.replace(/\n+$/, "").split("\n"));
  const hidden = () => (isWhole() ? 0 : Math.max(0, lines().length - LINES_AT_FIRST));
  const pieces = createMemo(() => parseAnsi(lines().slice(hidden()).join("\n")));
  return (
    <div class="terminal">
      <Show when={hidden() > 0}>
        <button type="button" class="text-button" onClick={() => setWhole(true)}>
          Show {hidden().toLocaleString()} earlier lines
        </button>
      </Show>
      <pre class="terminal-text" tabindex="0" aria-label={props.label}>
        <For each={pieces()}>{(piece) => (piece.classes ? <span class={piece.classes}>{piece.text}</span> : piece.text)}</For>
      </pre>
    </div>
  );
}
