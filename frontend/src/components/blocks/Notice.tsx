// A line of the house itself: something was recovered, lost, or is odd.
import { Show, type JSX } from "solid-js";

import type { NoticeBlock } from "../../state";
import { Fold } from "../controls/Fold";
import { useHere } from "../conversation/here";
import { CrossIcon, InfoIcon, WarningIcon } from "../icons";
import { visibleText } from "../question/visibleText";

export function Notice(props: { block: NoticeBlock }): JSX.Element {
  const here = useHere();
  const line = () => (
    <>
      <LevelIcon level={props.block.level} />
      <span>{visibleText(props.block.text)}</span>
    </>
  );
  return (
    <div class={`notice notice-${props.block.level}`} role="note">
      <Show when={props.block.detail} fallback={<p class="notice-line">{line()}</p>}>
        {(detail) => (
          <Fold name={`${here.chatId}:${props.block.pos}`} summary={line()}>
            <pre class="notice-detail">{visibleText(detail())}</pre>
          </Fold>
        )}
      </Show>
    </div>
  );
}

function LevelIcon(props: { level: NoticeBlock["level"] }): JSX.Element {
  return <>{props.level === "error" ? <CrossIcon /> : props.level === "warning" ? <WarningIcon /> : <InfoIcon />}</>;
}
