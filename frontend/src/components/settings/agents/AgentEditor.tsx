// The editor of an agent: command, arguments and variables; secrets stay hidden.
import { createSignal, createUniqueId, For, Show, type JSX } from "solid-js";
import { createStore } from "solid-js/store";

import { agents, changeAgent, type AgentInfo } from "../../../state";
import { createAttempt } from "../../controls/attempt";
import { Spinner } from "../../controls/Spinner";
import { CloseIcon, PlusIcon } from "../../icons";
import { SandboxField } from "./SandboxField";
import { changeOf, copyOf, formOf, isSecret, MASK, problemsOf, type AgentForm, type Variable } from "./agentForm";
import { labels } from "../labels";

/** Without an agent it creates one, optionally as a copy of `like`. */
export function AgentEditor(props: {
  agent: AgentInfo | undefined;
  like?: AgentInfo;
  onDone: () => void;
}): JSX.Element {
  const taken = () => (agents() ?? []).map((one) => one.id);
  const [form, setForm] = createStore({ ...(props.like ? copyOf(props.like, taken()) : formOf(props.agent)) });
  const [isChecked, setChecked] = createSignal(false);
  const attempt = createAttempt();
  const problems = () => (isChecked() ? problemsOf(form, props.agent, taken()) : {});
  const isFixed = (field: string) => props.agent?.fixed.includes(field) ?? false;
  const prefix = createUniqueId();
  let element!: HTMLFormElement;

  async function save(event: SubmitEvent) {
    event.preventDefault();
    setChecked(true);
    if (Object.keys(problems()).length > 0) {
      element.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
      return;
    }
    const change = changeOf(form, props.agent);
    if (await attempt.run(() => changeAgent(props.agent?.id ?? form.id.trim(), change))) props.onDone();
  }
  const text = (field: "id" | "display_name" | "command" | "tcp" | "pass_env", label: string, note: string, sample = "") => (
    <div class="field">
      <label class="field-label" for={`${prefix}-${field}`}>
        {label}
      </label>
      <input
        class="input"
        id={`${prefix}-${field}`}
        aria-describedby={`${prefix}-${field}-note`}
        classList={{ mono: field !== "display_name" }}
        name={field}
        placeholder={sample}
        autocapitalize="off"
        autocomplete="off"
        spellcheck={false}
        disabled={isFixed(field)}
        aria-invalid={problems()[field] !== undefined}
        value={form[field]}
        onInput={(event) => setForm(field, event.currentTarget.value)}
      />
      <p class="field-note" id={`${prefix}-${field}-note`}>
        {isFixed(field) ? labels.setByEnvironment : note}
      </p>
      <Problem words={problems()[field]} />
    </div>
  );
  return (
    <form class="dialog-body" ref={element} novalidate onSubmit={(event) => void save(event)} data-testid="agent-editor">
      <Show when={!props.agent}>{text("id", labels.editor.id, labels.editor.idHelp, "my-agent")}</Show>
      {text("display_name", labels.editor.name, labels.editor.nameHelp)}
      {text("command", labels.editor.command, labels.editor.commandHelp, "my-agent")}
      <div class="field">
        <label class="field-label" for={`${prefix}-args`}>
          {labels.editor.args}
        </label>
        <textarea
          class="input mono"
          id={`${prefix}-args`}
          aria-describedby={`${prefix}-args-note`}
          name="args"
          rows="3"
          spellcheck={false}
          disabled={isFixed("args")}
          aria-invalid={problems()["args"] !== undefined}
          value={form.args}
          onInput={(event) => setForm("args", event.currentTarget.value)}
        />
        <p class="field-note" id={`${prefix}-args-note`}>
          {labels.editor.argsHelp}
        </p>
        <Problem words={problems()["args"]} />
      </div>
      <Variables env={form.env} isNew={!props.agent} problem={problems()["env"]} onChange={(env) => setForm("env", env)} />
      <SandboxField form={form} problem={problems()["sandbox"]} onChange={(change) => setForm(change)} />
      <details class="more">
        <summary>{labels.editor.more}</summary>
        <div class="more-body">
          {text("pass_env", labels.editor.passEnv, labels.editor.passEnvHelp, "OPENAI_API_KEY")}
          {text("tcp", labels.editor.tcp, labels.editor.tcpHelp, "127.0.0.1:3000")}
          <Tick form={form} field="fs" label={labels.editor.fs} onChange={setForm} />
          <Tick form={form} field="terminal" label={labels.editor.terminal} onChange={setForm} />
        </div>
      </details>
      <Problem words={attempt.problem()} />
      <div class="dialog-foot">
        <button type="button" class="button" onClick={() => props.onDone()}>
          {labels.cancel}
        </button>
        <button type="submit" class="button button-main" disabled={attempt.isBusy()}>
          <Show when={attempt.isBusy()}>
            <Spinner />
          </Show>
          {labels.save}
        </button>
      </div>
    </form>
  );
}

function Variables(props: {
  isNew: boolean;
  env: readonly Variable[];
  problem: string | undefined;
  onChange: (env: Variable[]) => void;
}): JSX.Element {
  const change = (at: number, part: Partial<Variable>) =>
    props.onChange(props.env.map((one, n) => (n === at ? { ...one, ...part } : one)));
  return (
    <fieldset class="field">
      <legend class="field-label">{labels.editor.variables}</legend>
      <For each={props.env.map((_, at) => at)}>
        {(at) => {
          const variable = () => props.env[at] ?? { name: "", value: "" };
          return (
            <div class="variable">
              <input
                class="input mono"
                aria-label={labels.editor.variableName(at + 1)}
                aria-invalid={props.problem !== undefined}
                autocapitalize="off"
                spellcheck={false}
                value={variable().name}
                onInput={(event) => change(at, { name: event.currentTarget.value })}
              />
              <input
                class="input mono"
                type={isSecret(variable()) ? "password" : "text"}
                aria-label={labels.editor.variableValue(variable().name || labels.editor.variable(at + 1))}
                autocomplete="new-password"
                spellcheck={false}
                value={variable().value}
                onFocus={(event) => variable().value === MASK && event.currentTarget.select()}
                onInput={(event) => change(at, { value: event.currentTarget.value })}
              />
              <button
                type="button"
                class="icon-button"
                aria-label={labels.editor.removeVariable(variable().name)}
                onClick={() => props.onChange(props.env.filter((_, n) => n !== at))}
              >
                <CloseIcon />
              </button>
            </div>
          );
        }}
      </For>
      <button type="button" class="text-button" onClick={() => props.onChange([...props.env, { name: "", value: "" }])}>
        <PlusIcon />
        {labels.editor.addVariable}
      </button>
      <span class="field-note">
        {props.isNew ? labels.editor.secrets : labels.editor.secretsKept}
      </span>
      <Problem words={props.problem} />
    </fieldset>
  );
}

function Tick(props: {
  form: AgentForm;
  field: "fs" | "terminal";
  label: string;
  onChange: (field: "fs" | "terminal", isOn: boolean) => void;
}): JSX.Element {
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={props.form[props.field]}
        onChange={(event) => props.onChange(props.field, event.currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}

function Problem(props: { words: string | undefined }): JSX.Element {
  return (
    <Show when={props.words}>
      <span class="field-problem" role="alert">
        {props.words}
      </span>
    </Show>
  );
}
