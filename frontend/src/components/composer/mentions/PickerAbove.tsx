// The list of a picker, above the message field.
import { Show, type JSX } from "solid-js";

import { CountAnnouncer, EntryList, ListState } from "./EntryList";
import { labels } from "./labels";
import type { Picker } from "./picker";
import { moreWords } from "./search";

export const PICKER_LIST = "mention-list";

export function PickerAbove(props: { picker: Picker }): JSX.Element {
  const token = () => props.picker.token();
  const entries = () => props.picker.entries();
  const search = () => props.picker.search();
  const isLoading = () => token()?.sign === "@" && search().isLoading;
  const problem = () => {
    const files = token()?.sign === "@" ? search().problem : "";
    if (files) return `${labels.searchFailed} ${files}`;
    const skills = token()?.sign === "/" ? props.picker.problem() : "";
    return skills && `${labels.skillsFailed} ${skills}`;
  };
  const none = () => {
    const now = token();
    if (now === undefined || entries().length > 0) return "";
    return now.sign === "@" ? labels.noFiles(now.query) : labels.noCommands(now.query);
  };
  return (
    <>
      <Show when={isShown(props.picker)}>
        <div class="picker" data-testid="picker">
          <EntryList
            id={PICKER_LIST}
            label={token()?.sign === "@" ? labels.mentions : labels.commands}
            entries={entries()}
            at={props.picker.at()}
            onPoint={props.picker.point}
            onChoose={props.picker.choose}
          />
          <ListState isLoading={isLoading()} problem={problem()} none={none()} more={token()?.sign === "@" ? moreWords(search()) : ""} />
        </div>
      </Show>
      <CountAnnouncer count={isShown(props.picker) && !isLoading() ? entries().length : undefined} />
    </>
  );
}

/** An unknown command may simply be text that starts with a slash: then there is no list. */
export function isShown(picker: Picker): boolean {
  const token = picker.token();
  return token !== undefined && (token.sign === "@" || picker.entries().length > 0 || picker.problem() !== "");
}
