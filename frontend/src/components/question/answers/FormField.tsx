// One field of a form.
import { For, Match, Show, Switch, type JSX } from "solid-js";

import { tableOf } from "../../../state/named";
import type { Entered, Field } from "./schema";
import { visibleText } from "../content/visibleText";
import { labels } from "../labels";

interface Props {
  field: Field;
  id: string;
  entered: Entered;
  problem: string | undefined;
  onEnter: (entered: Entered) => void;
}

const INPUT_TYPES = tableOf({ email: "email", uri: "url", date: "date", "date-time": "text" });

export function FormField(props: Props): JSX.Element {
  const isOne = () => props.field.kind === "text" || props.field.kind === "number" || props.field.kind === "choice";
  return (
    <div class="field">
      <Show when={isOne()}>
        <label class="field-label" for={props.id}>
          {visibleText(props.field.label)}
          <Show when={!props.field.required}>
            <span class="quiet"> {labels.optional}</span>
          </Show>
        </label>
      </Show>
      <Control {...props} />
      <Show when={props.field.description}>
        <p class="field-note" id={`${props.id}-note`}>
          {visibleText(props.field.description)}
        </p>
      </Show>
      <Show when={props.problem}>
        <p class="field-problem" id={`${props.id}-problem`} role="alert">
          {props.problem}
        </p>
      </Show>
    </div>
  );
}

function Control(props: Props): JSX.Element {
  const a = <K extends Field["kind"]>(kind: K) =>
    props.field.kind === kind ? (props.field as Extract<Field, { kind: K }>) : undefined;
  const about = () => ({
    id: props.id,
    name: props.field.name,
    "aria-invalid": props.problem !== undefined,
    "aria-required": props.field.required,
    "aria-describedby": `${props.id}-note ${props.id}-problem`,
  });
  return (
    <Switch>
      <Match when={a("boolean")}>
        {(field) => (
          <label class="tick">
            <input
              type="checkbox"
              {...about()}
              checked={props.entered === true}
              onInput={(event) => props.onEnter(event.currentTarget.checked)}
            />
            {visibleText(field().label)}
          </label>
        )}
      </Match>
      <Match when={a("choice")}>
        {(field) => (
          <select class="input" {...about()} onInput={(event) => props.onEnter(event.currentTarget.value)}>
            <option value="" selected={props.entered === ""}>
              {field().required ? labels.choose : labels.none}
            </option>
            <For each={field().choices}>
              {(choice) => (
                <option value={choice.value} selected={props.entered === choice.value}>
                  {visibleText(choice.label)}
                </option>
              )}
            </For>
          </select>
        )}
      </Match>
      <Match when={a("choices")}>{(field) => <Ticks {...props} field={field()} />}</Match>
      <Match when={a("number")}>
        {(field) => (
          <input
            class="input"
            {...about()}
            inputmode={field().whole ? "numeric" : "decimal"}
            value={String(props.entered)}
            onInput={(event) => props.onEnter(event.currentTarget.value)}
          />
        )}
      </Match>
      <Match when={a("text")}>
        {(field) => (
          <input
            class="input"
            {...about()}
            type={INPUT_TYPES.get(field().format) ?? "text"}
            autocomplete="off"
            value={String(props.entered)}
            onInput={(event) => props.onEnter(event.currentTarget.value)}
          />
        )}
      </Match>
    </Switch>
  );
}

function Ticks(props: Props & { field: Extract<Field, { kind: "choices" }> }): JSX.Element {
  const chosen = () => (Array.isArray(props.entered) ? (props.entered as readonly string[]) : []);
  const toggle = (value: string, isOn: boolean) =>
    props.onEnter(isOn ? [...chosen(), value] : chosen().filter((one) => one !== value));
  return (
    <fieldset aria-describedby={`${props.id}-note ${props.id}-problem`}>
      <legend class="field-label">
        {visibleText(props.field.label)}
        <Show when={!props.field.required}>
          <span class="quiet"> {labels.optional}</span>
        </Show>
      </legend>
      <For each={props.field.choices}>
        {(choice) => (
          <label class="tick">
            <input
              type="checkbox"
              aria-invalid={props.problem !== undefined}
              checked={chosen().includes(choice.value)}
              onInput={(event) => toggle(choice.value, event.currentTarget.checked)}
            />
            <span>
              {visibleText(choice.label)}
              <Show when={choice.description}>
                {(description) => <span class="quiet"> {visibleText(description())}</span>}
              </Show>
            </span>
          </label>
        )}
      </For>
    </fieldset>
  );
}
