// A part of a message other than text, such as an image; a large one is loaded on request.
import { createSignal, Show, type JSX } from "solid-js";

import { wholeEvent, type ContentPart } from "../../../state";
import { useChatContext } from "../../conversation/chatContext";
import { ContentPartView } from "../../tool/ContentPart";
import { CutNote } from "../../tool/CutNote";

export function MessagePart(props: { part: ContentPart; isProse: boolean }): JSX.Element {
  const context = useChatContext();
  const [whole, setWhole] = createSignal<ContentPart>();
  async function load(seq: number) {
    setWhole((await wholeEvent<"text-delta">(context.chatId, seq)).block);
  }
  return (
    <>
      <ContentPartView part={whole() ?? props.part} isProse={props.isProse} />
      <Show when={!whole() && props.part.cut_at}>
        {(seq) => <CutNote size={undefined} onLoad={() => load(seq())} />}
      </Show>
    </>
  );
}
