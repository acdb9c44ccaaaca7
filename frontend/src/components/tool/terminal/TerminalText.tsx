// Output of a command with its colours, in a scrolling box.
import { createMemo, createSignal, For, Show, type JSX } from "solid-js";

import { targetOf } from "../../../markdown/links";
import { followEnd } from "../../controls/followEnd";
import { addressesIn } from "./addresses";
import { parseAnsi } from "./ansi";
import { labels } from "../labels";

/** Lines shown before a person asks for all. */
const LINES_AT_FIRST = 200;

export function TerminalText(props: {
  text: string;
  label: string;
  /** Its newest lines stay in view. */
  follows?: boolean;
  /** In use by a person: web addresses can be opened. */
  isLive?: boolean;
}): JSX.Element {
  let box!: HTMLPreElement;
  const [isWhole, setWhole] = createSignal(false);
  const lines = createMemo(() => props.text.replace(/\n+$/, "").split("\n"));
  const hidden = () => (isWhole() ? 0 : Math.max(0, lines().length - LINES_AT_FIRST));
  const pieces = createMemo(() => parseAnsi(lines().slice(hidden()).join("\n")));
  const scrolled = followEnd(
    () => box,
    pieces,
    () => props.follows ?? false,
  );
  return (
    <div class="terminal">
      <Show when={hidden() > 0}>
        <button type="button" class="text-button" onClick={() => setWhole(true)}>
          {labels.earlierLines(hidden())}
        </button>
      </Show>
      <pre class="terminal-text" ref={box} tabindex="0" aria-label={props.label} onScroll={scrolled}>
        <For each={pieces()}>
          {(piece) => {
            const text = () => (props.isLive ? <WithLinks text={piece.text} /> : piece.text);
            return piece.classes ? <span class={piece.classes}>{text()}</span> : text();
          }}
        </For>
      </pre>
    </div>
  );
}

function WithLinks(props: { text: string }): JSX.Element {
  return (
    <For each={addressesIn(props.text)}>
      {(part) => (
        <Show when={part.isAddress ? targetOf(part.text) : null} fallback={part.text}>
          {(target) => (
            <a href={target().href} target="_blank" rel="noopener noreferrer nofollow">
              {part.text}
            </a>
          )}
        </Show>
      )}
    </For>
  );
}
