// Typing into a terminal: one line at a time, and special keys. Nothing typed is stored.
import { createSignal, For, Show, type JSX } from "solid-js";

import { typeInto } from "../../../state";
import { tableOf } from "../../../state/named";
import { useChatContext } from "../../conversation/chatContext";
import { labels } from "../labels";

const KEYS = [
  { label: "Ctrl-C", name: "Interrupt (Ctrl-C)", data: "\x03" },
  { label: "↑", name: "Arrow up", data: "\x1b[A" },
  { label: "↓", name: "Arrow down", data: "\x1b[B" },
  { label: "Tab", name: "Tab", data: "\t" },
  { label: "Esc", name: "Escape", data: "\x1b" },
];
const ARROWS = tableOf({ ArrowUp: "\x1b[A", ArrowDown: "\x1b[B" });

export function TerminalInput(props: { terminal: string }): JSX.Element {
  const context = useChatContext();
  const [line, setLine] = createSignal("");
  const [isHidden, setHidden] = createSignal(false);
  const [problem, setProblem] = createSignal("");
  let sending: Promise<void> = Promise.resolve();
  let field!: HTMLInputElement;

  /** One after another, so that input arrives in order. */
  function type(data: string) {
    sending = sending
      .then(() => typeInto(context.chatId, props.terminal, data))
      .then(
        () => void setProblem(""),
        (error: unknown) => void setProblem(error instanceof Error ? error.message : labels.notTyped),
      );
  }
  function onKey(event: KeyboardEvent) {
    const data = event.ctrlKey && event.key === "c" ? "\x03" : ARROWS.get(event.key);
    const isForTheField = event.ctrlKey ? field.selectionStart !== field.selectionEnd : line() !== "";
    if (data === undefined || isForTheField || event.altKey) return;
    event.preventDefault();
    type(data);
  }

  return (
    <form
      class="terminal-input"
      data-testid="terminal-input"
      onSubmit={(event) => {
        event.preventDefault();
        type(`${line()}\r`);
        setLine("");
      }}
    >
      <div class="terminal-line">
        <input
          class="input mono"
          ref={field}
          type={isHidden() ? "password" : "text"}
          aria-label={labels.type}
          placeholder={labels.typePlaceholder}
          autocomplete="off"
          autocapitalize="off"
          autocorrect="off"
          spellcheck={false}
          enterkeyhint="send"
          maxLength={16_000}
          value={line()}
          onInput={(event) => setLine(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <button type="submit" class="button">
          {labels.enter}
        </button>
      </div>
      <div class="terminal-keys">
        <For each={KEYS}>
          {(key) => (
            <button type="button" class="button button-plain" aria-label={key.name} onClick={() => type(key.data)}>
              {key.label}
            </button>
          )}
        </For>
        <label class="terminal-hide">
          <input type="checkbox" checked={isHidden()} onChange={(event) => setHidden(event.currentTarget.checked)} /> {labels.hideInput}
        </label>
      </div>
      <Show when={problem()}>
        <p class="field-problem" role="alert">
          {problem()}
        </p>
      </Show>
    </form>
  );
}
