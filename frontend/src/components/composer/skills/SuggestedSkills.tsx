// Skills that fit the message, each of which can be added or dismissed.
import { For, Show, type JSX } from "solid-js";

import type { SuggestedSkill } from "../../../state";
import { CloseIcon, PlusIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import { labels } from "../mentions/labels";

export function SuggestedSkills(props: {
  skills: readonly SuggestedSkill[];
  onAdd: (skill: SuggestedSkill) => void;
  onDismiss: (id: string) => void;
}): JSX.Element {
  return (
    <Show when={props.skills.length > 0}>
      <ul class="offers" aria-label={labels.suggestions}>
        <For each={props.skills}>
          {(skill) => (
            <li class="offer" data-testid="suggested-skill">
              <button type="button" class="offer-button" onClick={() => props.onAdd(skill)}>
                <PlusIcon />
                <span class="offer-name cut" dir="auto">{labels.addSkill(visibleText(skill.name))}</span>
                <span class="quiet cut">{skill.why.map(visibleText).join(", ")}</span>
              </button>
              <button
                type="button"
                class="icon-button"
                aria-label={labels.dismissSkill(visibleText(skill.name))}
                onClick={() => props.onDismiss(skill.id)}
              >
                <CloseIcon />
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
