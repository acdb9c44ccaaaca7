// A content part other than a diff: text, an image, a link to a file.
import { Match, Show, Switch, type JSX } from "solid-js";

import type { ContentPart } from "../../state";
import { isInlinePicture, targetOf } from "../../markdown/links";
import { Markdown } from "../../markdown/Markdown";
import { useChatContext } from "../conversation/chatContext";
import { FileIcon } from "../icons";
import { within } from "../paths";
import { JsonText } from "./JsonText";
import { TerminalText } from "./terminal/TerminalText";
import { unfenced } from "./toolLabels";
import { labels } from "./labels";

export function ContentPartView(props: { part: ContentPart; isProse: boolean }): JSX.Element {
  const picture = () => `data:${props.part.mimeType ?? ""};base64,${props.part.data ?? ""}`;
  const text = () => props.part.text ?? props.part.resource?.text;
  return (
    <Switch fallback={<JsonText value={props.part} label={props.part.type} />}>
      <Match when={props.part.type === "text" && props.isProse}>
        <Markdown text={props.part.text ?? ""} isFinished={true} />
      </Match>
      <Match when={typeof text() === "string"}>
        <TerminalText text={unfenced(text()!)} label={labels.output} />
      </Match>
      <Match when={props.part.type === "image" && isInlinePicture(picture())}>
        <img class="md-image" src={picture()} alt={props.part.name ?? labels.image} />
      </Match>
      <Match when={props.part.type === "resource_link"}>
        <ResourceLink part={props.part} />
      </Match>
      <Match when={props.part.type === "audio" || props.part.type === "image"}>
        <p class="quiet small">
          {props.part.type} ({props.part.mimeType ?? labels.unknownType}), {labels.notShown}
        </p>
      </Match>
    </Switch>
  );
}

function ResourceLink(props: { part: ContentPart }): JSX.Element {
  const context = useChatContext();
  const uri = () => props.part.uri ?? "";
  const name = () => within(context.workspace, uri().replace(/^file:\/\//, ""));
  return (
    <p class="place">
      <FileIcon />
      <Show when={targetOf(uri())} fallback={<span class="mono">{name() || props.part.name}</span>}>
        {(target) => (
          <>
            <a href={target().href} rel="noopener noreferrer nofollow" target="_blank">
              {props.part.name ?? target().href}
            </a>
            <span class="md-host">{target().where}</span>
          </>
        )}
      </Show>
    </p>
  );
}
