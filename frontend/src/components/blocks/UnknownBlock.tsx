// Something we do not know, kept as it came.
import type { JSX } from "solid-js";

import type { Json, UnknownBlock } from "../../state";
import { Fold } from "../controls/Fold";
import { useHere } from "../conversation/here";
import { QuestionIcon } from "../icons";
import { visibleText } from "../question/visibleText";
import { JsonText } from "../tool/JsonText";

export function UnknownBlockView(props: { block: UnknownBlock }): JSX.Element {
  const here = useHere();
  return (
    <Fold
      name={`${here.chatId}:${props.block.pos}`}
      summary={
        <>
          <QuestionIcon />
          <span class="cut">The agent sent something this page does not know{nameOf(props.block.raw)}</span>
        </>
      }
    >
      <JsonText value={props.block.raw} label="As it came" />
    </Fold>
  );
}

function nameOf(raw: Json): string {
  const name = typeof raw === "object" && raw !== null && !Array.isArray(raw) ? raw["sessionUpdate"] : undefined;
  return typeof name === "string" ? `: ${visibleText(name)}` : "";
}
