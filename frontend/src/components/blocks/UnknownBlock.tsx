// An unsupported event, shown as raw data.
import type { JSX } from "solid-js";

import type { Json, UnknownBlock } from "../../state";
import { Fold } from "../controls/fold/Fold";
import { useChatContext } from "../conversation/chatContext";
import { QuestionIcon } from "../icons";
import { visibleText } from "../question/content/visibleText";
import { JsonText } from "../tool/JsonText";
import { labels } from "./labels";

export function UnknownBlockView(props: { block: UnknownBlock }): JSX.Element {
  const context = useChatContext();
  return (
    <Fold
      name={`${context.chatId}:${props.block.pos}`}
      summary={
        <>
          <QuestionIcon />
          <span class="cut">{props.block.broken ? labels.brokenPart : labels.unknown}
            {nameOf(props.block.raw)}</span>
        </>
      }
    >
      <JsonText value={props.block.raw} label={labels.rawData} />
    </Fold>
  );
}

function nameOf(raw: Json): string {
  const name = typeof raw === "object" && raw !== null && !Array.isArray(raw) ? raw["sessionUpdate"] : undefined;
  return typeof name === "string" ? `: ${visibleText(name)}` : "";
}
