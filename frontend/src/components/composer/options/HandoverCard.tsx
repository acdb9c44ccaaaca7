// What goes with the next message because somebody else answers it: to read, edit or leave out.
import { createSignal, Show, type JSX } from "solid-js";

import { setHandover, type ChatState } from "../../../state";
import { createAttempt } from "../../controls/attempt";
import { labels } from "../labels";

export function HandoverCard(props: { state: ChatState; to: string }): JSX.Element {
  const attempt = createAttempt();
  const [edited, setEdited] = createSignal<string>();
  const handover = () => props.state.head.handover;
  const isLeftOut = () => handover()?.left_out ?? false;
  const isLive = () => props.state.head.turn !== null && !handover()?.edited;
  const change = (wish: { text?: string; left_out?: boolean }) => attempt.run(() => setHandover(props.state.id, wish));
  /** Also when the field is left, so that a message that is sent next takes along what was written. */
  const save = (text: string) => change({ text, left_out: text.trim() === "" });
  return (
    <Show when={handover()?.text || isLeftOut()}>
      <section class="handover" data-testid="handover" aria-label={labels.handover.name}>
        <p>
          {isLeftOut() ? labels.handover.leftOut(props.to) : labels.handover.goesAlong(props.to)}
          <Show when={!isLeftOut() && isLive()}> {labels.handover.isLive}</Show>
        </p>
        <Show
          when={edited() !== undefined}
          fallback={
            <p class="handover-buttons">
              <button type="button" class="button" onClick={() => setEdited(handover()?.text ?? "")}>
                {labels.handover.edit}
              </button>
              <Show when={!isLeftOut() || handover()?.text}>
                <button
                  type="button"
                  class="button button-plain"
                  disabled={attempt.isBusy()}
                  onClick={() => void change({ left_out: !isLeftOut() })}
                >
                  {isLeftOut() ? labels.handover.include : labels.handover.leaveOut}
                </button>
              </Show>
            </p>
          }
        >
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void save(edited() ?? "").then((isDone) => isDone && setEdited(undefined));
            }}
          >
            <textarea
              class="input"
              rows="8"
              maxlength="20000"
              aria-label={labels.handover.text}
              ref={(input) => queueMicrotask(() => input.focus())}
              value={edited()}
              onInput={(event) => setEdited(event.currentTarget.value)}
              onChange={(event) => void save(event.currentTarget.value)}
            />
            <p class="handover-buttons">
              <button type="submit" class="button button-main">
                {labels.handover.done}
              </button>
            </p>
          </form>
        </Show>
        <Show when={attempt.problem()}>
          <p class="field-problem" role="alert">
            {attempt.problem()}
          </p>
        </Show>
      </section>
    </Show>
  );
}
