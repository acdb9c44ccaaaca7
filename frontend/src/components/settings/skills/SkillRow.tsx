// One skill in the list. All its lines have one height, so that a long list can be windowed.
import { For, Show, type JSX } from "solid-js";

import type { Skill } from "../../../state";
import { bytesWords } from "../../composer/skills/bytes";
import { WarningIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import { labels as texts } from "./labels";

const labels = texts.skills;
const MOST_TAGS = 4;

export function SkillRow(props: { skill: Skill; isBusy: boolean; onAlways: (on: boolean) => Promise<boolean>; onShow: () => void }): JSX.Element {
  const name = () => visibleText(props.skill.name);
  return (
    <div class="skill" data-testid="skill">
      <button type="button" class="skill-words" aria-label={labels.preview(name())} onClick={() => props.onShow()}>
        <span class="skill-name cut" dir="auto">{name()}</span>
        <Show
          when={props.skill.problem}
          fallback={<span class="skill-line cut" dir="auto">{visibleText(props.skill.description)}</span>}
        >
          {(problem) => (
            <span class="skill-problem cut">
              <WarningIcon /> {visibleText(problem())}
            </span>
          )}
        </Show>
        <span class="skill-line cut">
          {labels.sources[props.skill.source]} · {bytesWords(props.skill.bytes)}
          <For each={props.skill.tags.slice(0, MOST_TAGS)}>{(tag) => <span class="skill-tag">{visibleText(tag)}</span>}</For>
        </span>
      </button>
      <label class="skill-always">
        <span class="small" aria-hidden="true">{labels.always}</span>
        <input
          type="checkbox"
          role="switch"
          aria-label={labels.alwaysFor(name())}
          // Disabled, it would lose the focus.
          aria-disabled={props.isBusy}
          checked={props.skill.always_active}
          onChange={async (event) => {
            const box = event.currentTarget;
            if (props.isBusy) return void (box.checked = props.skill.always_active);
            if (!(await props.onAlways(box.checked))) box.checked = props.skill.always_active;
          }}
        />
      </label>
    </div>
  );
}
