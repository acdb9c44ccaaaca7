// Where skills are: the folder in the workspace, which is a setting, and the personal one.
import { createSignal, Show, type JSX } from "solid-js";

import { changeSettings, noticeSkills, settings, type SkillList } from "../../../state";
import { createAttempt } from "../../controls/attempt";
import { PathText } from "../../controls/PathText";
import { isDecided } from "../decided";
import { labels as shared } from "../labels";
import { labels as texts } from "./labels";

const labels = texts.skills;

export function SkillsFolder(props: { list: SkillList | undefined }): JSX.Element {
  const now = () => settings()?.values.acpSkillsFolderPath ?? "";
  const [wished, setWished] = createSignal<string>();
  const [isSaved, setSaved] = createSignal(false);
  const attempt = createAttempt();
  const isFixed = () => isDecided("acp_skills_folder_path");
  const isChanged = () => wished() !== undefined && wished()!.trim() !== now();
  async function save() {
    const isDone = await attempt.run(() => changeSettings({ acpSkillsFolderPath: wished()?.trim() || null }));
    if (!isDone) return;
    setWished(undefined);
    setSaved(true);
    noticeSkills();
  }
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged()) void save();
      }}
    >
      <label class="field-label" for="skills-folder">{labels.folder}</label>
      <div class="skills-folder">
        <input
          id="skills-folder"
          class="input mono"
          autocapitalize="off"
          spellcheck={false}
          disabled={isFixed() || attempt.isBusy()}
          value={wished() ?? now()}
          onInput={(event) => {
            setSaved(false);
            setWished(event.currentTarget.value);
          }}
        />
        <button type="submit" class="button" disabled={isFixed() || attempt.isBusy() || !isChanged()}>
          {labels.save}
        </button>
      </div>
      <p class="field-note" role="status">
        {isFixed() ? shared.setByEnvironment : isSaved() ? labels.saved : labels.folderHelp}
      </p>
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">{attempt.problem()}</p>
      </Show>
      <Show when={props.list}>
        {(list) => (
          <>
            <p class="small"><PathText path={list().folder} /></p>
            <Show when={!list().exists}>
              <p class="small skills-missing">{labels.missing}</p>
            </Show>
            <p class="small quiet">
              {labels.personal} <PathText path={list().personal_folder} />
            </p>
          </>
        )}
      </Show>
    </form>
  );
}
