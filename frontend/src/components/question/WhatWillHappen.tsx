// Exactly what a question is about: the raw command, paths, diff, and everything the agent sent with it.
import { For, Show, type JSX } from "solid-js";

import type { Json, QuestionDetail, ToolContent } from "../../state";
import { CopyButton } from "../controls/CopyButton";
import { Fold } from "../controls/Fold";
import { useHere } from "../conversation/here";
import { Diff } from "../diff/Diff";
import { FileIcon } from "../icons";
import { within } from "../paths";
import { Command } from "../tool/ToolDetail";
import { JsonText } from "../tool/JsonText";
import { TerminalText } from "../tool/TerminalText";
import { commandOf, diffsOf, folderOfCommand, textOf } from "../tool/words";
import { visibleText } from "./visibleText";

export function WhatWillHappen(props: { detail: QuestionDetail; name: string }): JSX.Element {
  const here = useHere();
  const command = () => commandOf(props.detail);
  const diffs = () => diffsOf(props.detail.content);
  const places = () => {
    const shown = new Set(diffs().map((diff) => diff.path));
    return (props.detail.locations ?? []).filter((place) => place.path && !shown.has(place.path));
  };
  const texts = () => (props.detail.content ?? []).map(textOf).filter((text): text is string => !!text?.trim());
  const isPlain = () => command() !== null || diffs().length > 0;
  return (
    <div class="will-happen">
      <Show when={command()}>{(line) => <Command command={line()} folder={folderOfCommand(props.detail)} />}</Show>
      <For each={diffs()}>{(diff) => <Diff content={diff} />}</For>
      <Show when={places().length > 0}>
        <ul class="places" aria-label="Files">
          <For each={places()}>
            {(place) => (
              <li class="place">
                <FileIcon />
                <span class="mono">{visibleText(within(here.workspace, place.path ?? ""))}</span>
                <CopyButton text={() => place.path ?? ""} label="Copy path" />
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={!isPlain()}>
        <For each={texts()}>{(text) => <TerminalText text={visibleText(text)} label="What the agent says" />}</For>
      </Show>
      <Show when={hasInput(props.detail.input)}>
        <Show when={isPlain()} fallback={<JsonText value={props.detail.input} label="Input" />}>
          <Fold name={`${props.name}:raw`} class="raw" summary={<span class="quiet">All the agent sent</span>}>
            <JsonText value={props.detail.input} label="Input" />
            <OtherContent content={props.detail.content ?? []} />
          </Fold>
        </Show>
      </Show>
    </div>
  );
}

function OtherContent(props: { content: readonly ToolContent[] }): JSX.Element {
  return (
    <For each={props.content.filter((content) => content.type !== "diff")}>
      {(content) => <JsonText value={{ ...content } as unknown as Json} label={content.type ?? "Content"} />}
    </For>
  );
}

function hasInput(input: Json | undefined): boolean {
  return input !== undefined && input !== null && JSON.stringify(input) !== "{}";
}
