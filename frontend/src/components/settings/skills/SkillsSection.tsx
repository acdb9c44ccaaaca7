// The skills of a workspace: their folders, their size, and each of them.
import { createEffect, createMemo, createSignal, For, on, Show, type JSX } from "solid-js";

import { fetchSkills, knownSkills, setAlways, settings, useChats, type Skill, type SkillList } from "../../../state";
import { createAttempt, wordsOf } from "../../controls/attempt";
import { PathText } from "../../controls/PathText";
import { Skeleton } from "../../controls/Skeleton";
import { DownIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import { matchingSkills, workspacesOf } from "./filter";
import { labels as texts } from "./labels";
import { SkillPreview } from "./SkillPreview";
import { SkillRow } from "./SkillRow";
import { SkillsBudget } from "./SkillsBudget";
import { SkillsFolder } from "./SkillsFolder";
import { WindowedList } from "./WindowedList";

const labels = texts.skills;
const ROW_REM = 5.25;

export function SkillsSection(): JSX.Element {
  const chats = useChats();
  const workspaces = createMemo(() => workspacesOf(chats.list, settings()?.values.work_dir));
  const [wished, setWished] = createSignal<string>();
  const workspace = () => wished() ?? workspaces()[0];
  const [list, setList] = createSignal<SkillList>();
  const [problem, setProblem] = createSignal("");

  async function load(folder: string) {
    setProblem("");
    try {
      const now = await fetchSkills(folder);
      if (folder === workspace()) setList(now);
    } catch (error) {
      if (folder === workspace()) setProblem(wordsOf(error));
    }
  }
  createEffect(
    on([workspace, () => settings()?.values.acpSkillsFolderPath], ([folder]) => {
      setList(folder === undefined ? undefined : knownSkills(folder));
      if (folder !== undefined) void load(folder);
    }),
  );
  return (
    <section class="settings-part" aria-label={labels.title}>
      <h2>{labels.title}</h2>
      <p class="quiet">{labels.help}</p>
      <Show when={workspace()} fallback={<p>{chats.isLoaded ? labels.noWorkspace : ""}</p>}>
        {(folder) => (
          <>
            <WorkspaceSelect workspaces={workspaces()} chosen={folder()} onChoose={setWished} />
            <SkillsFolder list={list()} />
            <Show when={problem()}>
              <div class="problem-and-retry">
                <p class="field-problem" role="alert">
                  {labels.failed} {visibleText(problem())}
                </p>
                <button type="button" class="button" onClick={() => void load(folder())}>
                  {labels.tryAgain}
                </button>
              </div>
            </Show>
            <Show when={list()} fallback={!problem() && <Skeleton lines={6} label={labels.loading} />}>
              {(now) => (
                <>
                  <SkillsBudget list={now()} />
                  <Browser workspace={folder()} list={now()} onChange={setList} />
                </>
              )}
            </Show>
          </>
        )}
      </Show>
    </section>
  );
}

function WorkspaceSelect(props: { workspaces: readonly string[]; chosen: string; onChoose: (folder: string) => void }): JSX.Element {
  return (
    <div class="field">
      <span class="field-label" id="skills-workspace">{labels.workspace}</span>
      <Show when={props.workspaces.length > 1} fallback={<PathText path={props.chosen} />}>
        <span class="select skills-workspace">
          <select
            class="mono"
            aria-labelledby="skills-workspace"
            data-testid="skills-workspace"
            onChange={(event) => props.onChoose(event.currentTarget.value)}
          >
            <For each={props.workspaces}>
              {(folder) => (
                <option value={folder} selected={folder === props.chosen}>
                  {visibleText(folder)}
                </option>
              )}
            </For>
          </select>
          <DownIcon />
        </span>
      </Show>
    </div>
  );
}

function Browser(props: { workspace: string; list: SkillList; onChange: (list: SkillList) => void }): JSX.Element {
  const [words, setWords] = createSignal("");
  const [shown, setShown] = createSignal<Skill>();
  const attempt = createAttempt();
  const found = createMemo(() => matchingSkills(props.list.skills, words()).map(({ id }) => id));
  // By id, so that a row keeps the focus when the list is replaced.
  const byId = createMemo(() => new Map(props.list.skills.map((skill) => [skill.id, skill])));
  const setOn = (skill: Skill, on: boolean) => attempt.run(async () => props.onChange(await setAlways(props.workspace, skill.id, on)));
  return (
    <Show when={props.list.skills.length > 0} fallback={<p class="quiet" data-testid="no-skills">{labels.none}</p>}>
      <div class="skills-filter">
        <input
          class="input"
          type="search"
          aria-label={labels.filter}
          placeholder={labels.filter}
          value={words()}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <span class="quiet small" role="status">{labels.shown(found().length, props.list.skills.length)}</span>
      </div>
      <p class="quiet small">{labels.alwaysHelp}</p>
      <Show when={attempt.problem()}>
        <p class="field-problem" role="alert">{attempt.problem()}</p>
      </Show>
      <Show when={found().length > 0} fallback={<p class="quiet">{labels.noMatch(visibleText(words()))}</p>}>
        <WindowedList items={found()} label={labels.title} rowHeight={ROW_REM}>
          {(id) => (
            <Show when={byId().get(id)}>
              {(skill) => <SkillRow skill={skill()} isBusy={attempt.isBusy()} onAlways={(on) => setOn(skill(), on)} onShow={() => setShown(skill())} />}
            </Show>
          )}
        </WindowedList>
      </Show>
      <SkillPreview workspace={props.workspace} skill={shown()} onClose={() => setShown(undefined)} />
    </Show>
  );
}
