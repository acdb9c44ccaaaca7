// The attachments of the draft, each with a remove button.
import { For, Show, type JSX } from "solid-js";

import type { JsonObject } from "../../state";
import { CloseIcon, FileIcon } from "../icons";
import { nameOf, pictureOf } from "./attaching";
import { labels } from "./labels";

export function Attached(props: { attachments: readonly JsonObject[]; onRemove: (one: JsonObject) => void }): JSX.Element {
  return (
    <Show when={props.attachments.length > 0}>
      <ul class="attached" aria-label={labels.attachments}>
        <For each={props.attachments}>
          {(one) => (
            <li class="attached-one">
              <Show when={pictureOf(one)} fallback={<FileIcon />}>
                {(picture) => <img class="attached-picture" src={picture()} alt="" />}
              </Show>
              <span class="cut">{nameOf(one)}</span>
              <button
                type="button"
                class="icon-button"
                aria-label={labels.remove(nameOf(one))}
                onClick={() => props.onRemove(one)}
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
