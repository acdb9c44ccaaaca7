// Exactly what a question is about: the raw command, all other fields, paths, diffs and texts.
import { createMemo, For, Show, type JSX } from "solid-js";

import type { QuestionDetail } from "../../../state";
import { CopyButton } from "../../controls/copy/CopyButton";
import { Diff } from "../../diff/Diff";
import { FileIcon } from "../../icons";
import { ExactText } from "./ExactText";
import { contextOf, willHappen, type Shown } from "./shown";
import { labels } from "../labels";

export function WhatWillHappen(props: {
  detail: QuestionDetail;
  /** How many characters of each text to show, until a person asks for everything. */
  most: number;
}): JSX.Element {
  const will = createMemo(() => willHappen(props.detail));
  return (
    <div class="will-happen">
      <Show when={will().command}>
        {(command) => (
          <div class="command">
            <First shown={command()} most={props.most} />
            <CopyButton text={() => command().text} label={labels.copyCommand} />
          </div>
        )}
      </Show>
      <Show when={will().fields.length > 0}>
        <dl class="sent" aria-label={labels.request}>
          <For each={will().fields}>
            {(field) => (
              <>
                <dt>
                  <ExactText text={field.label} isStrict />
                </dt>
                <dd>
                  <First shown={field} most={props.most} />
                </dd>
              </>
            )}
          </For>
        </dl>
      </Show>
      <For each={will().diffs}>{(diff) => <Diff content={diff} isWhole={props.most === Infinity} context={contextOf(props.detail)} />}</For>
      <Show when={will().places.length > 0}>
        <ul class="places" aria-label={labels.files}>
          <For each={will().places}>
            {(place) => (
              <li class="place">
                <FileIcon />
                <ExactText text={place.text} isStrict />
              </li>
            )}
          </For>
        </ul>
      </Show>
      <For each={will().texts}>
        {(text) => (
          <div class="said">
            <p class="quiet small">{text.label}</p>
            <First shown={text} most={props.most} />
          </div>
        )}
      </For>
    </div>
  );
}

function First(props: { shown: Shown; most: number }): JSX.Element {
  const text = () => (props.shown.text.length > props.most ? `${props.shown.text.slice(0, props.most)}…` : props.shown.text);
  return <ExactText text={text()} isStrict={props.shown.isStrict} label={props.shown.label} />;
}
