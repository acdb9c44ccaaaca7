// How much of each message is skills, and what did not fit.
import { For, Show, type JSX } from "solid-js";

import type { SkillList } from "../../../state";
import { bytesWords } from "../../composer/skills/bytes";
import { visibleText } from "../../question/content/visibleText";
import { labels as texts } from "./labels";

const labels = texts.budget;
/** More would make the page endless. */
const MOST_NAMED = 50;

export function SkillsBudget(props: { list: SkillList }): JSX.Element {
  const used = () => props.list.index_bytes + props.list.always_bytes;
  return (
    <div class="skills-budget" data-testid="skills-budget">
      <p>{labels.used(bytesWords(used()), bytesWords(props.list.budget_bytes))}</p>
      <div class="budget-bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, (100 * used()) / Math.max(1, props.list.budget_bytes))}%` }} />
      </div>
      <p class="quiet small">{labels.parts(bytesWords(props.list.index_bytes), bytesWords(props.list.always_bytes))}</p>
      <Show when={props.list.left_out.length > 0}>
        <details class="skills-left-out">
          <summary>
            {labels.leftOut} ({props.list.left_out.length.toLocaleString("en")})
          </summary>
          <ul>
            <For each={props.list.left_out.slice(0, MOST_NAMED)}>
              {(one) => (
                <li>
                  <span class="breakable" dir="auto">{visibleText(one.what)}</span> <span class="quiet">{visibleText(one.why)}</span>
                </li>
              )}
            </For>
          </ul>
        </details>
      </Show>
    </div>
  );
}
