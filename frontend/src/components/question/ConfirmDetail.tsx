// What a question of the house itself is about: folders to trust, words to send along, a command that has changed.
import { For, Show, type JSX } from "solid-js";

import type { QuestionDetail } from "../../state";
import { PathText } from "../controls/PathText";
import { FolderIcon } from "../icons";
import { visibleText } from "./visibleText";

export function ConfirmDetail(props: { detail: QuestionDetail }): JSX.Element {
  const folders = () => {
    const given = props.detail["folders"];
    return Array.isArray(given) ? given.filter((one): one is string => typeof one === "string") : [];
  };
  const told = (name: string) => (typeof props.detail[name] === "string" ? props.detail[name] : "");
  return (
    <>
      <Show when={folders().length > 0}>
        <ul class="places">
          <For each={folders()}>
            {(folder) => (
              <li class="place">
                <FolderIcon />
                <PathText path={folder} />
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={told("text")}>
        {(text) => (
          <blockquote class="quoted" dir="auto">
            {visibleText(text())}
          </blockquote>
        )}
      </Show>
      <Show when={told("before")}>
        {(text) => (
          <>
            <p class="quiet small">Before, it was</p>
            <blockquote class="quoted" dir="auto">
              {visibleText(text())}
            </blockquote>
          </>
        )}
      </Show>
    </>
  );
}
