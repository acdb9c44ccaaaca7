// A note about content that is too large to send at once, with a button that loads it.
import { createSignal, type JSX } from "solid-js";
import { labels } from "./labels";

export function CutNote(props: { size: number | undefined; label?: string; onLoad: () => Promise<unknown> }): JSX.Element {
  const [state, setState] = createSignal<"cut" | "loading" | "failed">("cut");
  async function load() {
    setState("loading");
    // The loaded content may already be out of date, so the note may still be shown.
    await props.onLoad().then(
      () => setState("cut"),
      () => setState("failed"),
    );
  }
  return (
    <p class="cut-note">
      {labels.partial(props.size && Math.ceil(props.size / 1000))}
      <button type="button" class="text-button" disabled={state() === "loading"} onClick={() => void load()}>
        {state() === "failed" ? labels.tryAgain : state() === "loading" ? labels.loading : (props.label ?? labels.loadAll)}
      </button>
    </p>
  );
}
