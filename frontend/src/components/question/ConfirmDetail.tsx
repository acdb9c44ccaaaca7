// What a question of the house itself is about: folders to trust, words to send along.
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
  const words = () => (typeof props.detail["text"] === "string" ? props.detail["text"] : "");
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
      <Show when={words()}>
        {(text) => (
          <blockquote class="quoted" dir="auto">
            {visibleText(text())}
          </blockquote>
        )}
      </Show>
    </>
  );
}
