// Several finished calls in one line: "Read 3 files, ran 2 commands · 20 s".
import { createMemo, For, Show, type JSX } from "solid-js";

import { Fold } from "../../controls/fold/Fold";
import { Part } from "../../controls/Part";
import { useChatContext } from "../../conversation/chatContext";
import type { Activity } from "../../conversation/rows";
import { ChangeCount } from "../../diff/ChangeCount";
import { KindIcon, ListIcon } from "../../icons";
import { spanOf, summaryOf } from "../../tool/summary";
import { duration } from "../../when";
import { Thought } from "./Thought";
import { ToolCall } from "./ToolCall";
import { labels } from "../labels";

export function ActivityGroup(props: { blocks: readonly Activity[]; until: number | undefined }): JSX.Element {
  const context = useChatContext();
  const summary = createMemo(() => summaryOf(props.blocks));
  const seconds = () => spanOf(props.blocks, props.until);
  const kind = () => onlyKind(props.blocks);
  return (
    <Fold
      name={`${context.chatId}:group:${props.blocks[0]?.pos}`}
      class="group"
      summary={
        <>
          <Show when={kind()} fallback={<ListIcon />}>
            {(one) => <KindIcon kind={one()} />}
          </Show>
          <span class="cut">{summary().words}</span>
          <ChangeCount added={summary().added} removed={summary().removed} />
          <Show when={summary().failed > 0}>
            <span class="tool-word tool-word-bad">{labels.failedCount(summary().failed)}</span>
          </Show>
          <Show when={props.blocks.some((block) => block.kind === "tool" && block.unasked)}>
            <span class="tool-word tool-word-need">{labels.unasked}</span>
          </Show>
          <Show when={seconds() >= 1}>
            <span class="group-time">{duration(seconds())}</span>
          </Show>
        </>
      }
    >
      <For each={props.blocks}>
        {(block, at) =>
          block.kind === "tool" ? (
            <Part value={() => block}>
              <ToolCall block={block} />
            </Part>
          ) : (
            <Thought block={block} until={props.blocks[at() + 1]?.at ?? props.until ?? block.at} />
          )
        }
      </For>
    </Fold>
  );
}

function onlyKind(blocks: readonly Activity[]): string | null {
  const kinds = new Set(blocks.map((block) => (block.kind === "tool" ? block.tool_kind : "think")));
  return kinds.size === 1 ? [...kinds][0]! : null;
}
