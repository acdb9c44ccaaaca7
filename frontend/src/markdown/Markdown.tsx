// An agent's text as markdown, complete or still streaming.
import { createEffect, onCleanup, type JSX } from "solid-js";

import { StreamedMarkdown } from "./streamed";

/** After a drawing this slow the next frame is skipped, so that the page stays responsive. */
const SLOW_MILLISECONDS = 6;

export function Markdown(props: { text: string; isFinished: boolean }): JSX.Element {
  const root = (<div class="md" />) as HTMLDivElement;
  const drawing = new StreamedMarkdown(root);
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let notBefore = 0;

  function draw() {
    waiting = undefined;
    const began = performance.now();
    drawing.update(props.text, props.isFinished);
    const took = performance.now() - began;
    notBefore = took > SLOW_MILLISECONDS ? performance.now() + took * 3 : 0;
  }

  createEffect(() => {
    void props.text;
    if (waiting !== undefined && !props.isFinished) return;
    clearTimeout(waiting);
    const wait = props.isFinished ? 0 : notBefore - performance.now();
    if (wait > 0) waiting = setTimeout(draw, wait);
    else draw();
  });
  onCleanup(() => clearTimeout(waiting));
  return root;
}
