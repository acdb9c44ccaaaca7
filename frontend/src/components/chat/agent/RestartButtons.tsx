// Restarting an agent, with its session or a new one.
import { createSignal, Show, type JSX } from "solid-js";

import { useChatContext } from "../../conversation/chatContext";
import { Spinner } from "../../controls/Spinner";
import { RetryIcon } from "../../icons";
import { messageOf } from "../../controls/attempt";
import { labels } from "../labels";

export function RestartButtons(props: { onDone?: () => void }): JSX.Element {
  const context = useChatContext();
  const [sending, setSending] = createSignal<"reload" | "new">();
  const [problem, setProblem] = createSignal("");
  async function restart(reload: boolean) {
    setSending(reload ? "reload" : "new");
    setProblem("");
    try {
      await context.restart(reload);
      props.onDone?.();
    } catch (error) {
      setProblem(messageOf(error));
    }
    setSending(undefined);
  }
  return (
    <>
      <Show when={context.canReload}>
        <button
          type="button"
          class="button"
          title={labels.restartAndReloadHelp}
          disabled={sending() !== undefined}
          onClick={() => void restart(true)}
        >
          <Show when={sending() === "reload"} fallback={<RetryIcon />}>
            <Spinner />
          </Show>
          {labels.restartAndReload}
        </button>
      </Show>
      <button
        type="button"
        class="button"
        title={labels.restartHelp}
        disabled={sending() !== undefined}
        onClick={() => void restart(false)}
      >
        <Show when={sending() === "new"}>
          <Spinner />
        </Show>
        {labels.restart}
      </button>
      <Show when={problem()}>
        <p class="field-problem" role="alert">
          {problem()}
        </p>
      </Show>
    </>
  );
}
