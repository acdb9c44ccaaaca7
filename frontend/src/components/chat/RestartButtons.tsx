// Starting an agent again: with its session, or with a new one.
import { createSignal, Show, type JSX } from "solid-js";

import { useHere } from "../conversation/here";
import { Spinner } from "../controls/Spinner";
import { RetryIcon } from "../icons";

export function RestartButtons(props: { onDone?: () => void }): JSX.Element {
  const here = useHere();
  const [sending, setSending] = createSignal<"reload" | "new">();
  const [problem, setProblem] = createSignal("");
  async function restart(reload: boolean) {
    setSending(reload ? "reload" : "new");
    setProblem("");
    try {
      await here.restart(reload);
      props.onDone?.();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "That did not work.");
    }
    setSending(undefined);
  }
  return (
    <>
      <Show when={here.canReload}>
        <button
          type="button"
          class="button"
          title="Start the agent again, and bring its session back"
          disabled={sending() !== undefined}
          onClick={() => void restart(true)}
        >
          <Show when={sending() === "reload"} fallback={<RetryIcon />}>
            <Spinner />
          </Show>
          Restart and reload
        </button>
      </Show>
      <button
        type="button"
        class="button"
        title="Start the agent again with a new session: it will not remember this chat"
        disabled={sending() !== undefined}
        onClick={() => void restart(false)}
      >
        <Show when={sending() === "new"}>
          <Spinner />
        </Show>
        Restart agent
      </button>
      <Show when={problem()}>
        <p class="field-problem" role="alert">
          {problem()}
        </p>
      </Show>
    </>
  );
}
