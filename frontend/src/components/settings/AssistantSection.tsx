// The assistant's model: the current one, choosing another, and a test.
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
import { Hint } from "../controls/Hint";
import { Skeleton } from "../controls/Skeleton";
import { Spinner } from "../controls/Spinner";
import { CheckIcon, CrossIcon } from "../icons";
import { visibleText } from "../question/content/visibleText";
import { fieldsOf, keepsKey, settingOf, wishOf, withProvider, type ModelFields } from "./modelForm";
import { labels } from "./labels";

export function AssistantSection(): JSX.Element {
  return (
    <Show when={settings()} fallback={<Skeleton lines={6} label={labels.loading} />}>
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
    <section class="settings-part" aria-label={labels.assistant.title}>
      <h2>{labels.assistant.title}</h2>
      <p class="quiet">{labels.assistant.help}</p>
      <Show when={assistant()?.chosen}>
        {(chosen) => (
          <p data-testid="model-now">
            {labels.assistant.now} <strong>{visibleText(chosen().model)}</strong> {labels.assistant.by} {visibleText(name(chosen().provider))}
          </p>
        )}
      </Show>
      <Show when={assistant()?.problem}>
        {(problem) => (
          <p class="field-problem" role="alert">
            {visibleText(problem().message)} <Hint text={problem().hint} />
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
      aria-label={labels.assistant.model}
      data-testid="model-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2>{labels.assistant.model}</h2>
      <Show when={isFixed()}>
        <p class="quiet">{labels.setByEnvironment}</p>
      </Show>
      <fieldset class="bare-fields" disabled={isFixed() || saving.isBusy()}>
        <label class="field">
          <span class="field-label">{labels.assistant.provider}</span>
          <select class="input" onChange={(event) => change(withProvider(fields(), event.currentTarget.value))}>
            <option value="" selected={fields().provider === ""}>
              {labels.assistant.automatic}
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
          <span class="field-label">{labels.assistant.address}</span>
          <input
            class="input mono"
            type="url"
            placeholder={labels.assistant.defaultAddress}
            value={fields().baseUrl}
            onInput={(event) => change({ baseUrl: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span class="field-label">{labels.assistant.key}</span>
          <input
            class="input mono"
            type="password"
            autocomplete="off"
            placeholder={hasKey() ? labels.assistant.keyStored : provider()?.needs_key ? labels.assistant.keyRequired : labels.assistant.keyNone}
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
            {visibleText(result().message)} <Hint text={result().hint} />
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
          {labels.save}
        </button>
        <button type="button" class="button" disabled={trying.isBusy()} onClick={() => void test()}>
          <Show when={trying.isBusy()}>
            <Spinner />
          </Show>
          {labels.test}
        </button>
      </p>
    </form>
  );
}

/** Any name can be typed; the provider's models are suggested once loaded. */
function Model(props: { fields: ModelFields; usual: string; onChange: (model: string) => void }): JSX.Element {
  const [models, setModels] = createSignal<string[]>([]);
  const ask = () => listModels({ ...wishOf(props.fields), model: "" }).then(setModels, () => setModels([]));
  return (
    <label class="field">
      <span class="field-label">{labels.assistant.model}</span>
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
