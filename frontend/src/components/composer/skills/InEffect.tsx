// What goes along with the next message: skills, instructions, and what is left out.
import { For, Show, type JSX } from "solid-js";

import { pathTo, type ContextInEffect } from "../../../state";
import { PathText } from "../../controls/PathText";
import { Skeleton } from "../../controls/Skeleton";
import { visibleText } from "../../question/content/visibleText";
import { bytesWords } from "./bytes";
import type { InEffect } from "./readInEffect";
import { labels } from "./labels";

export function InEffectView(props: { context: InEffect }): JSX.Element {
  return (
    <>
      <Show when={props.context.problem()}>
        <div class="problem-and-retry">
          <p class="field-problem" role="alert">
            {labels.failed} {visibleText(props.context.problem())}
          </p>
          <button type="button" class="button" onClick={() => props.context.refresh()}>
            {labels.tryAgain}
          </button>
        </div>
      </Show>
      <Show when={props.context.now()} fallback={!props.context.problem() && <Skeleton lines={4} label={labels.loading} />}>
        {(now) => <Facts now={now()} />}
      </Show>
    </>
  );
}

function Facts(props: { now: ContextInEffect }): JSX.Element {
  return (
    <div class="in-effect">
      <dl class="facts">
        <dt>{labels.skills}</dt>
        <dd>
          <p>{labels.listed(props.now.skills)}</p>
          <PathText path={props.now.skills_folder} />
        </dd>
        <Show when={props.now.always.length > 0}>
          <dt>{labels.always}</dt>
          <dd>
            <ul class="name-list">
              <For each={props.now.always}>{(name) => <li dir="auto">{visibleText(name)}</li>}</For>
            </ul>
          </dd>
        </Show>
        <dt>{labels.instructions}</dt>
        <dd>
          <Show when={props.now.instructions.length > 0} fallback={labels.noInstructions}>
            <ul class="name-list">
              <For each={props.now.instructions}>
                {(one) => (
                  <li title={one.path ?? undefined}>
                    {one.source === "personal" ? labels.personal : visibleText(one.source)}{" "}
                    <span class="quiet small">
                      {labels.applies[one.applies]}, {bytesWords(one.bytes)}
                    </span>
                  </li>
                )}
              </For>
            </ul>
          </Show>
        </dd>
        <LeftOutFacts leftOut={props.now.left_out} />
      </dl>
      <p class="dialog-links">
        <a href={pathTo.settings("skills")}>{labels.manageSkills}</a>
        <a href={pathTo.settings("instructions")}>{labels.editInstructions}</a>
      </p>
    </div>
  );
}

function LeftOutFacts(props: { leftOut: ContextInEffect["left_out"] }): JSX.Element {
  return (
    <Show when={props.leftOut.length > 0}>
      <dt>{labels.leftOut}</dt>
      <dd>
        <ul class="name-list">
          <For each={props.leftOut}>
            {(one) => (
              <li>
                <span class="breakable" dir="auto">{visibleText(one.what)}</span> <span class="quiet small">{visibleText(one.why)}</span>
              </li>
            )}
          </For>
        </ul>
      </dd>
    </Show>
  );
}
