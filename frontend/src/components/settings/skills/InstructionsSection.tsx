// The person's own instructions, and who gets which instructions.
import { createSignal, Show, type JSX } from "solid-js";

import { changeSettings, settings } from "../../../state";
import { createAttempt } from "../../controls/attempt";
import { Skeleton } from "../../controls/Skeleton";
import { isDecided } from "../decided";
import { labels as shared } from "../labels";
import { SettingSwitch } from "../SettingSwitch";
import { labels as texts } from "./labels";

const labels = texts.instructions;
/** The server's limit. */
const MOST_CHARACTERS = 40_000;

/** Unsaved text outlives a look at another page. */
const [wished, setWished] = createSignal<string>();

export function InstructionsSection(): JSX.Element {
  return (
    <Show when={settings()} fallback={<Skeleton lines={6} label={labels.loading} />}>
      {(known) => (
        <>
          <Editor now={known().values.instructions} />
          <Switches isPrepended={known().values.prepend_instructions} isProject={known().values.project_instructions} />
        </>
      )}
    </Show>
  );
}

function Editor(props: { now: string }): JSX.Element {
  const attempt = createAttempt();
  const [isSaved, setSaved] = createSignal(false);
  const text = () => wished() ?? props.now;
  const isChanged = () => text() !== props.now;
  const isLong = () => text().length > MOST_CHARACTERS;
  const isFixed = () => isDecided("instructions");
  const state = () => {
    if (isFixed()) return shared.setByEnvironment;
    if (attempt.isBusy()) return labels.saving;
    if (isChanged()) return labels.unsaved;
    return isSaved() ? labels.saved : labels.length(text().length);
  };
  async function save() {
    const isDone = await attempt.run(() => changeSettings({ instructions: text() }));
    if (!isDone) return;
    setWished(undefined);
    setSaved(true);
  }
  return (
    <form
      class="settings-part"
      aria-label={labels.title}
      data-testid="instructions-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged() && !isLong()) void save();
      }}
    >
      <h2>{labels.title}</h2>
      <p class="quiet">{labels.help}</p>
      <textarea
        class="input mono instructions-text"
        rows="10"
        dir="auto"
        aria-label={labels.field}
        aria-describedby="instructions-state"
        aria-invalid={isLong()}
        placeholder={labels.placeholder}
        disabled={isFixed() || attempt.isBusy()}
        value={text()}
        onInput={(event) => {
          setSaved(false);
          setWished(event.currentTarget.value);
        }}
      />
      <Show when={isLong() || attempt.problem()}>
        <p class="field-problem" role="alert">
          {isLong() ? labels.tooLong(MOST_CHARACTERS) : attempt.problem()}
        </p>
      </Show>
      <p class="page-actions instructions-foot">
        <button type="submit" class="button button-main" disabled={!isChanged() || isLong() || attempt.isBusy() || isFixed()}>
          {labels.save}
        </button>
        <Show when={isChanged() && !attempt.isBusy()}>
          <button type="button" class="button" onClick={() => setWished(undefined)}>
            {labels.discard}
          </button>
        </Show>
        <span id="instructions-state" class="small" classList={{ quiet: !isChanged(), "instructions-unsaved": isChanged() }} role="status">
          {state()}
        </span>
      </p>
    </form>
  );
}

function Switches(props: { isPrepended: boolean; isProject: boolean }): JSX.Element {
  const attempt = createAttempt();
  return (
    <section class="settings-part" aria-label={labels.whoGetsThem}>
      <h2>{labels.whoGetsThem}</h2>
      <SettingSwitch name="prepend_instructions" label={labels.prepend} says={labels.prependHelp} isOn={props.isPrepended} attempt={attempt} />
      <SettingSwitch name="project_instructions" label={labels.project} says={labels.projectHelp} isOn={props.isProject} attempt={attempt} />
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">{attempt.problem()}</p>
      </Show>
    </section>
  );
}
