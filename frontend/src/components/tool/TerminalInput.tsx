// Typing into a terminal: a line at a time, and the keys that no line has. Nothing typed is kept here.
import { createSignal, For, Show, type JSX } from "solid-js";

import { typeInto } from "../../state";
import { useHere } from "../conversation/here";

const KEYS = [
  { label: "Ctrl-C", name: "Interrupt (Ctrl-C)", data: "\x03" },
  { label: "↑", name: "Arrow up", data: "\x1b[A" },
  { label: "↓", name: "Arrow down", data: "\x1b[B" },
  { label: "Tab", name: "Tab", data: "\t" },
  { label: "Esc", name: "Escape", data: "\x1b" },
];
const ARROWS: Record<string, string> = { ArrowUp: "\x1b[A", ArrowDown: "\x1b[B" };

export function TerminalInput(props: { terminal: string }): JSX.Element {
  const here = useHere();
  const [line, setLine] = createSignal("");
  const [isHidden, setHidden] = createSignal(false);
  const [problem, setProblem] = createSignal("");
  let sending: Promise<void> = Promise.resolve();
  let field!: HTMLInputElement;

  /** One after another, so that it arrives in the order it was typed. */
  function type(data: string) {
    sending = sending
      .then(() => typeInto(here.chatId, props.terminal, data))
      .then(
        () => void setProblem(""),
        (error: unknown) => void setProblem(error instanceof Error ? error.message : "That was not typed."),
      );
  }
  function onKey(event: KeyboardEvent) {
    const data = event.ctrlKey && event.key === "c" ? "\x03" : ARROWS[event.key];
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
          aria-label="Type into this terminal"
          placeholder="Type here, then Enter"
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
          Enter
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
          <input type="checkbox" checked={isHidden()} onChange={(event) => setHidden(event.currentTarget.checked)} /> Hide what I type
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
