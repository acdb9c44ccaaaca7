// A note from the server: something was recovered, lost or is unusual.
import { Show, type JSX } from "solid-js";

import type { NoticeBlock } from "../../state";
import { Fold } from "../controls/fold/Fold";
import { useChatContext } from "../conversation/chatContext";
import { CrossIcon, InfoIcon, RetryIcon, WarningIcon } from "../icons";
import { visibleText } from "../question/content/visibleText";

/** Important notices stand out; everything else is one quiet line. */
const BANNERS = new Set(["session-not-restored", "history-not-opened", "agent-refused", "crash-loop", "too-many-questions"]);
const AGAIN = new Set(["restored", "restarted", "recovered"]);

export function Notice(props: { block: NoticeBlock }): JSX.Element {
  const context = useChatContext();
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
          <Fold name={`${context.chatId}:${props.block.pos}`} summary={line()}>
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
