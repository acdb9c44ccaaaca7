// The model that answers when people talk to the assistant: which one it is now, another one, and a trial.
import { createSignal, For, Show, type JSX } from "solid-js";

import {
  assistant,
  changeSettings,
  checkAssistant,
  listModels,
  refreshAssistant,
  settings,
  type AssistantTrial,
  type SettingsInfo,
} from "../../state";
import { createAttempt } from "../controls/attempt";
import { Skeleton } from "../controls/Skeleton";
import { Spinner } from "../controls/Spinner";
import { CheckIcon, CrossIcon } from "../icons";
import { visibleText } from "../question/visibleText";
import { fieldsOf, keepsKey, settingOf, wishOf, withProvider, type ModelFields } from "./modelForm";

export function AssistantSection(): JSX.Element {
  return (
    <Show when={settings()} fallback={<Skeleton lines={6} label="Loading settings" />}>
      {(known) => (
        <>
          <UsedNow />
          <Choosing known={known()} />
        </>
      )}
    </Show>
  );
}

function UsedNow(): JSX.Element {
  const name = (id: string) => assistant()?.providers.find((one) => one.id === id)?.name ?? id;
  return (
    <section class="settings-part" aria-label="The assistant">
      <h2>The assistant</h2>
      <p class="quiet">A language model that answers you, reads your files, and hands the work to your agents.</p>
      <Show when={assistant()?.chosen}>
        {(chosen) => (
          <p data-testid="model-now">
            Now: <strong>{visibleText(chosen().model)}</strong> of {visibleText(name(chosen().provider))}
          </p>
        )}
      </Show>
      <Show when={assistant()?.problem}>
        {(problem) => (
          <p class="field-problem" role="alert">
            {visibleText(problem().message)} {visibleText(problem().hint)}
          </p>
        )}
      </Show>
    </section>
  );
}

function Choosing(props: { known: SettingsInfo }): JSX.Element {
  const now = () => props.known.values.assistant;
  const isFixed = () => props.known.decided_elsewhere.includes("assistant");
  const [wished, setWished] = createSignal<ModelFields>();
  const [trial, setTrial] = createSignal<AssistantTrial>();
  const fields = () => wished() ?? fieldsOf(now());
  const change = (more: Partial<ModelFields>) => {
    setTrial(undefined);
    setWished({ ...fields(), ...more });
  };
  const saving = createAttempt();
  const trying = createAttempt();
  const provider = () => assistant()?.providers.find((one) => one.id === fields().provider);
  const hasKey = () => now().api_key !== null && keepsKey(fields(), now());

  async function save() {
    const isDone = await saving.run(async () => {
      await changeSettings({ assistant: settingOf(fields()) });
      await refreshAssistant();
    });
    if (isDone) setWished(undefined);
  }
  const test = () => trying.run(async () => setTrial(await checkAssistant(wishOf(fields()))));
  return (
    <form
      class="settings-part"
      aria-label="Model"
      data-testid="model-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2>Model</h2>
      <Show when={isFixed()}>
        <p class="quiet">The environment of the server decides this.</p>
      </Show>
      <fieldset class="bare-fields" disabled={isFixed() || saving.isBusy()}>
        <label class="field">
          <span class="field-label">Provider</span>
          <select class="input" onChange={(event) => change(withProvider(fields(), event.currentTarget.value))}>
            <option value="" selected={fields().provider === ""}>
              By the key in the environment, else the demo
            </option>
            <For each={assistant()?.providers}>
              {(one) => (
                <option value={one.id} selected={one.id === fields().provider}>
                  {one.name}
                </option>
              )}
            </For>
          </select>
        </label>
        <Model fields={fields()} usual={provider()?.model ?? ""} onChange={(model) => change({ model })} />
        <label class="field">
          <span class="field-label">Address</span>
          <input
            class="input mono"
            type="url"
            placeholder="The provider’s own"
            value={fields().baseUrl}
            onInput={(event) => change({ baseUrl: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span class="field-label">Key</span>
          <input
            class="input mono"
            type="password"
            autocomplete="off"
            placeholder={hasKey() ? "Stored; type to replace it" : provider()?.needs_key ? "Needed" : "None"}
            value={fields().key}
            onInput={(event) => change({ key: event.currentTarget.value })}
          />
        </label>
      </fieldset>
      <Show when={trial()}>
        {(result) => (
          <p class="trial" classList={{ "trial-bad": !result().ok }} role="status" data-testid="trial" data-ok={result().ok}>
            <Show when={result().ok} fallback={<CrossIcon />}>
              <CheckIcon />
            </Show>
            {visibleText(`${result().message} ${result().hint}`)}
          </p>
        )}
      </Show>
      <Show when={saving.problem() || trying.problem()}>
        {(problem) => (
          <p class="field-problem" role="alert">
            {problem()}
          </p>
        )}
      </Show>
      <p class="page-actions">
        <button type="submit" class="button button-main" disabled={isFixed() || saving.isBusy() || wished() === undefined}>
          Save
        </button>
        <button type="button" class="button" disabled={trying.isBusy()} onClick={() => void test()}>
          <Show when={trying.isBusy()}>
            <Spinner />
          </Show>
          Test
        </button>
      </p>
    </form>
  );
}

/** Any name may be typed; what the provider offers is listed when it is asked. */
function Model(props: { fields: ModelFields; usual: string; onChange: (model: string) => void }): JSX.Element {
  const [models, setModels] = createSignal<string[]>([]);
  const ask = () => listModels({ ...wishOf(props.fields), model: "" }).then(setModels, () => setModels([]));
  return (
    <label class="field">
      <span class="field-label">Model</span>
      <input
        class="input mono"
        list="models"
        placeholder={props.usual}
        autocapitalize="off"
        spellcheck={false}
        value={props.fields.model}
        onFocus={() => props.fields.provider && void ask()}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
      <datalist id="models">
        <For each={models()}>{(model) => <option value={model} />}</For>
      </datalist>
    </label>
  );
}
