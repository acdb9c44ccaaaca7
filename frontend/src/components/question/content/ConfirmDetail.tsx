// The details of our own questions: folders to trust, text to send, a changed command.
import { For, Show, type JSX } from "solid-js";

import type { QuestionDetail } from "../../../state";
import { FolderIcon } from "../../icons";
import { ExactText } from "./ExactText";
import { labels } from "../labels";

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
                <ExactText text={folder} isStrict />
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={told("text")}>
        {(text) => (
          <blockquote class="quoted">
            <ExactText text={text()} isStrict />
          </blockquote>
        )}
      </Show>
      <Show when={told("before")}>
        {(text) => (
          <>
            <p class="quiet small">{labels.before}</p>
            <blockquote class="quoted">
              <ExactText text={text()} isStrict />
            </blockquote>
          </>
        )}
      </Show>
    </>
  );
}
