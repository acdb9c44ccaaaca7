// A text in which every character must be visible.
import { createMemo, For, type JSX } from "solid-js";

import { exact, type Piece } from "./exact";

/** Longer texts are drawn in blocks; only those in view are laid out. */
const BLOCK = 10_000;

export function ExactText(props: { text: string; isStrict?: boolean; label?: string }): JSX.Element {
  const blocks = createMemo(() => blocksOf(exact(props.text, props.isStrict ?? false)));
  return (
    <div class="exact" classList={{ "exact-strict": props.isStrict ?? false }} aria-label={props.label} role={props.label ? "group" : undefined}>
      <For each={blocks()}>
        {(pieces) => (
          <div class="exact-block" classList={{ "exact-far": blocks().length > 1 }}>
            <For each={pieces}>{(piece) => (piece.mark ? <span class={`exact-${piece.mark}`}>{piece.text}</span> : piece.text)}</For>
          </div>
        )}
      </For>
    </div>
  );
}

function blocksOf(pieces: readonly Piece[]): Piece[][] {
  const blocks: Piece[][] = [[]];
  let length = 0;
  for (const piece of pieces) {
    for (const part of partsOf(piece)) {
      if (length + part.text.length > BLOCK && length > 0) {
        blocks.push([]);
        length = 0;
      }
      blocks.at(-1)!.push(part);
      length += part.text.length;
    }
  }
  return blocks;
}

/** Split a piece where a block may end: after a line if possible, else anywhere. */
function partsOf(piece: Piece): Piece[] {
  const parts: Piece[] = [];
  let from = 0;
  while (piece.text.length - from > BLOCK) {
    const line = piece.text.lastIndexOf("\n", from + BLOCK);
    const to = line > from ? line + 1 : from + BLOCK;
    parts.push({ ...piece, text: piece.text.slice(from, to) });
    from = to;
  }
  parts.push({ ...piece, text: piece.text.slice(from) });
  return parts;
}
