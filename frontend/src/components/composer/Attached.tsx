// The attachments of the draft, each with a remove button.
import { For, Show, type JSX } from "solid-js";

import type { JsonObject } from "../../state";
import { ChatIcon, CloseIcon, DiffIcon, FileIcon, FolderIcon, QuoteIcon, SkillIcon } from "../icons";
import { visibleText } from "../question/content/visibleText";
import { nameOf, pictureOf } from "./attaching";
import { labels } from "./labels";
import { referenceDetail, referenceKind, referenceNote } from "./mentions/references";

const ICONS = { file: FileIcon, folder: FolderIcon, diff: DiffIcon, chat: ChatIcon, quote: QuoteIcon, skill: SkillIcon };

export function Attached(props: { attachments: readonly JsonObject[]; onRemove: (one: JsonObject) => void }): JSX.Element {
  return (
    <Show when={props.attachments.length > 0}>
      <ul class="attached" aria-label={labels.attachments}>
        <For each={props.attachments}>
          {(one) => (
            <li class="attached-one" title={visibleText(referenceDetail(one) || nameOf(one))}>
              <Show when={pictureOf(one)} fallback={<AttachmentIcon attachment={one} />}>
                {(picture) => <img class="attached-picture" src={picture()} alt="" />}
              </Show>
              <AttachmentName attachment={one} />
              <button
                type="button"
                class="icon-button"
                aria-label={labels.remove(visibleText(nameOf(one)))}
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

export function AttachmentIcon(props: { attachment: JsonObject }): JSX.Element {
  return <>{ICONS[referenceKind(props.attachment) ?? "file"]()}</>;
}

/** The name, and what tells it from another of the same name. */
export function AttachmentName(props: { attachment: JsonObject }): JSX.Element {
  return (
    <>
      <span class="cut" dir="auto">{visibleText(nameOf(props.attachment))}</span>
      <Show when={referenceNote(props.attachment)}>
        {(note) => <span class="attached-note cut">{visibleText(note())}</span>}
      </Show>
    </>
  );
}
