// Something is too large to be sent unasked: says so, and fetches it.
import { createSignal, Show, type JSX } from "solid-js";

export function CutNote(props: { size: number | undefined; onLoad: () => Promise<unknown> }): JSX.Element {
  const [state, setState] = createSignal<"cut" | "loading" | "failed">("cut");
  async function load() {
    setState("loading");
    // What was loaded may be out of date already, and the note still there.
    await props.onLoad().then(
      () => setState("cut"),
      () => setState("failed"),
    );
  }
  return (
    <p class="cut-note">
      Only a part is shown
      <Show when={props.size}>{(size) => <> of {Math.ceil(size() / 1000).toLocaleString()} kB</>}</Show>.
      <button type="button" class="text-button" disabled={state() === "loading"} onClick={() => void load()}>
        {state() === "failed" ? "Try again" : state() === "loading" ? "Loading…" : "Load all"}
      </button>
    </p>
  );
}
