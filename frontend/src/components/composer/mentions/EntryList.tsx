// The list of what can be mentioned: files, folders, chats, commands, skills.
import { createEffect, createMemo, For, Match, on, Show, Switch, type JSX } from "solid-js";

import { ChatIcon, CommandIcon, DiffIcon, FileIcon, FolderIcon, SkillIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import type { Entry } from "./entries";
import { labels } from "./labels";

export const entryId = (list: string, at: number) => `${list}-${at}`;

const ICONS = { file: FileIcon, folder: FolderIcon, diff: DiffIcon, chat: ChatIcon, command: CommandIcon, skill: SkillIcon };

export function EntryList(props: {
  id: string;
  label: string;
  entries: readonly Entry[];
  at: number;
  onPoint: (at: number) => void;
  onChoose: (entry: Entry) => void;
}): JSX.Element {
  let list!: HTMLUListElement;
  // By key: a row that stays in the list stays under the finger.
  const keys = createMemo(() => [...new Set(props.entries.map(({ key }) => key))]);
  const byKey = createMemo(() => new Map(props.entries.map((entry) => [entry.key, entry])));
  createEffect(on(() => props.at, (at) => list.children[at]?.scrollIntoView({ block: "nearest" }), { defer: true }));
  return (
    <ul class="picker-list" ref={list} id={props.id} role="listbox" aria-label={props.label} hidden={props.entries.length === 0}>
      <For each={keys()}>
        {(key, at) => (
          <Show when={byKey().get(key)}>
            {(entry) => (
              <li
                id={entryId(props.id, at())}
                class="picker-entry"
                role="option"
                aria-selected={at() === props.at}
                data-testid="picker-entry"
                onPointerMove={(event) => event.pointerType === "mouse" && props.onPoint(at())}
                // The field keeps the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => props.onChoose(entry())}
              >
                {ICONS[entry().icon]()}
                <span class="picker-name cut" dir="auto">{visibleText(entry().name)}</span>
                <span class="picker-note cut">{visibleText(entry().note)}</span>
                <For each={entry().marks}>{(mark) => <span class="picker-mark">{mark}</span>}</For>
              </li>
            )}
          </Show>
        )}
      </For>
    </ul>
  );
}

/** Below the list: loading, nothing found, an error, or that there is more. */
export function ListState(props: { isLoading: boolean; problem: string; none: string; more: string }): JSX.Element {
  return (
    <Switch>
      <Match when={props.problem}>
        <p class="picker-state picker-problem" role="alert">{visibleText(props.problem)}</p>
      </Match>
      <Match when={props.none}>
        <p class="picker-state" classList={{ "picker-waiting": props.isLoading }}>{props.isLoading ? labels.searching : visibleText(props.none)}</p>
      </Match>
      <Match when={props.more}>
        <p class="picker-state">{props.more}</p>
      </Match>
    </Switch>
  );
}

/** How many entries there are, for screen readers; not announced while results are on their way. */
export function CountAnnouncer(props: { count: number | undefined }): JSX.Element {
  return (
    <span class="unseen" role="status">
      <Show when={props.count !== undefined}>{labels.results(props.count!)}</Show>
    </span>
  );
}
