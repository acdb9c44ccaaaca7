// A line of the house itself: something was recovered, lost, or is odd.
import { Show, type JSX } from "solid-js";

import type { NoticeBlock } from "../../state";
import { Fold } from "../controls/Fold";
import { useHere } from "../conversation/here";
import { CrossIcon, InfoIcon, RetryIcon, WarningIcon } from "../icons";
import { visibleText } from "../question/visibleText";

/** What a person must not miss stands out; everything else is one quiet line. */
const BANNERS = new Set(["session-not-restored", "history-not-opened", "agent-refused", "crash-loop", "too-many-questions"]);
const AGAIN = new Set(["restored", "restarted", "recovered"]);

export function Notice(props: { block: NoticeBlock }): JSX.Element {
  const here = useHere();
  const line = () => (
    <>
      <Show when={AGAIN.has(props.block.code)} fallback={<LevelIcon level={props.block.level} />}>
        <RetryIcon />
      </Show>
      <span>{visibleText(props.block.text)}</span>
    </>
  );
  return (
    <div
      class={`notice notice-${props.block.level}`}
      classList={{ "notice-banner": BANNERS.has(props.block.code) }}
      role="note"
      data-testid="notice"
      data-code={props.block.code}
    >
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
