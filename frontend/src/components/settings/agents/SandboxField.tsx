// Choosing how much of this machine an agent can see.
import { createUniqueId, For, Show, type JSX } from "solid-js";

import { sandboxProblem } from "../../../state";
import type { AgentForm, Sandbox } from "./agentForm";
import { LEVELS, SANDBOX_CHOICES, SANDBOX_NOTES } from "./sandboxWords";
import { labels } from "../labels";

type Change = Partial<Pick<AgentForm, "sandbox" | "sandbox_network" | "sandbox_writable" | "sandbox_readable">>;

export function SandboxField(props: {
  form: AgentForm;
  problem: string | undefined;
  onChange: (change: Change) => void;
}): JSX.Element {
  const id = createUniqueId();
  const paths = (field: "sandbox_writable" | "sandbox_readable", label: string, note: string) => (
    <div class="field">
      <label class="field-label" for={`${id}-${field}`}>
        {label}
      </label>
      <textarea
        class="input mono"
        id={`${id}-${field}`}
        aria-describedby={`${id}-${field}-note`}
        name={field}
        rows="3"
        spellcheck={false}
        value={props.form[field]}
        onInput={(event) => props.onChange({ [field]: event.currentTarget.value })}
      />
      <p class="field-note" id={`${id}-${field}-note`}>
        {note}
      </p>
    </div>
  );
  return (
    <>
      <div class="field">
        <label class="field-label" for={id}>
          {labels.sandbox.name}
        </label>
        <select
          class="input"
          id={id}
          name="sandbox"
          aria-describedby={`${id}-note`}
          aria-invalid={props.problem !== undefined}
          onChange={(event) => props.onChange({ sandbox: event.currentTarget.value as Sandbox })}
        >
          <For each={LEVELS}>
            {(level) => (
              <option value={level} selected={level === props.form.sandbox}>
                {SANDBOX_CHOICES[level]}
              </option>
            )}
          </For>
        </select>
        <p class="field-note" id={`${id}-note`}>
          {SANDBOX_NOTES[props.form.sandbox]}
        </p>
        <Show when={props.form.sandbox !== "off" && sandboxProblem()}>
          {(problem) => (
            <p class="field-problem" role="alert">
              {labels.sandbox.unavailable} {problem()}
            </p>
          )}
        </Show>
        <Show when={props.problem}>
          <span class="field-problem" role="alert">
            {props.problem}
          </span>
        </Show>
      </div>
      <Show when={props.form.sandbox !== "off"}>
        <label class="tick">
          <input
            type="checkbox"
            checked={props.form.sandbox_network}
            onChange={(event) => props.onChange({ sandbox_network: event.currentTarget.checked })}
          />
          {labels.sandbox.network}
        </label>
        <details class="more">
          <summary>{labels.sandbox.files}</summary>
          <div class="more-body">
            {paths("sandbox_writable", labels.sandbox.writable, labels.sandbox.writableHelp)}
            {paths("sandbox_readable", labels.sandbox.readable, labels.sandbox.readableHelp)}
          </div>
        </details>
      </Show>
    </>
  );
}
