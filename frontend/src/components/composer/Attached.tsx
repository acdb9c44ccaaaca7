// What goes along with the message that is being written; each can be taken off again.
import { For, Show, type JSX } from "solid-js";

import type { JsonObject } from "../../state";
import { CloseIcon, FileIcon } from "../icons";
import { nameOf, pictureOf } from "./attaching";

export function Attached(props: { attachments: readonly JsonObject[]; onRemove: (one: JsonObject) => void }): JSX.Element {
  return (
    <Show when={props.attachments.length > 0}>
      <ul class="attached" aria-label="Attachments">
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
                aria-label={`Remove ${nameOf(one)}`}
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
