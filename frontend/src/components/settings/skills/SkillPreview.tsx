// The text of a skill, as text: nothing in it is drawn as HTML.
import { createResource, Show, type JSX } from "solid-js";

import { readSkill, type Skill } from "../../../state";
import { bytesWords } from "../../composer/skills/bytes";
import { wordsOf } from "../../controls/attempt";
import { Dialog } from "../../controls/Dialog";
import { PathText } from "../../controls/PathText";
import { Skeleton } from "../../controls/Skeleton";
import { visibleText } from "../../question/content/visibleText";
import { labels as texts } from "./labels";

const labels = texts.skills;

export function SkillPreview(props: { workspace: string; skill: Skill | undefined; onClose: () => void }): JSX.Element {
  return (
    <Dialog isOpen={props.skill !== undefined} title={visibleText(props.skill?.name ?? "")} class="skill-preview" onClose={props.onClose}>
      <Show when={props.skill}>{(skill) => <Body workspace={props.workspace} skill={skill()} />}</Show>
    </Dialog>
  );
}

function Body(props: { workspace: string; skill: Skill }): JSX.Element {
  const [text] = createResource(() => readSkill(props.workspace, props.skill.id));
  return (
    <div class="dialog-body">
      <Show when={props.skill.description}>
        <p dir="auto">{visibleText(props.skill.description)}</p>
      </Show>
      <dl class="facts">
        <dt>{labels.path}</dt>
        <dd><PathText path={props.skill.path} /></dd>
        <Show when={props.skill.tags.length > 0}>
          <dt>{labels.tags}</dt>
          <dd class="breakable">{props.skill.tags.map(visibleText).join(", ")}</dd>
        </Show>
        <dt>{labels.size}</dt>
        <dd>{bytesWords(props.skill.bytes)}</dd>
        <Show when={props.skill.problem}>
          {(problem) => (
            <>
              <dt>{labels.problem}</dt>
              <dd class="field-problem">{visibleText(problem())}</dd>
            </>
          )}
        </Show>
      </dl>
      <Show when={text.error}>
        <p class="field-problem" role="alert">{visibleText(wordsOf(text.error))}</p>
      </Show>
      <Show when={!text.error && text()} fallback={!text.error && <Skeleton lines={5} label={labels.loadingText} />}>
        {(found) => (
          <>
            <pre class="skill-text" dir="auto" data-testid="skill-text">{visibleText(found().text)}</pre>
            <Show when={found().is_cut}>
              <p class="quiet small">{labels.cut}</p>
            </Show>
          </>
        )}
      </Show>
    </div>
  );
}
