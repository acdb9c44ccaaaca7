// A part of a message that is no text, as a picture; a large one is fetched when it is wanted.
import { createSignal, Show, type JSX } from "solid-js";

import { wholeEvent, type ContentPart } from "../../state";
import { useHere } from "../conversation/here";
import { ContentPartView } from "../tool/ContentPart";
import { CutNote } from "../tool/CutNote";

export function MessagePart(props: { part: ContentPart; isProse: boolean }): JSX.Element {
  const here = useHere();
  const [whole, setWhole] = createSignal<ContentPart>();
  async function load(seq: number) {
    setWhole(((await wholeEvent(here.chatId, seq)) as { block: ContentPart }).block);
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
