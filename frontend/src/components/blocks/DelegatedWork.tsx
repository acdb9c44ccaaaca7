// Work the assistant handed to an agent: its text, calls, plan and questions inside one block of their own.
import { createMemo, For, Show, type JSX } from "solid-js";

import type { Block, ToolBlock } from "../../state";
import { Spinner } from "../controls/Spinner";
import { opened } from "../controls/opened";
import { useHere } from "../conversation/here";
import { NO_TURN, Row } from "../conversation/Row";
import { rowsOf, type Row as RowShape } from "../conversation/rows";
import { AgentIcon, ChevronIcon } from "../icons";
import { visibleText } from "../question/visibleText";
import { hasEnded, progressOf } from "../tool/words";

export function DelegatedWork(props: { block: ToolBlock; inner: readonly Block[] }): JSX.Element {
  const here = useHere();
  const kept = () => opened(`${here.chatId}:${props.block.pos}`);
  const isOpen = () => kept().wish ?? !hasEnded(props.block);
  const rows = createMemo<RowShape[]>((before) => rowsOf(props.inner, here.liveTurn, before), []);
  const session = () => textIn(props.block.input, "session_name");
  const agent = () => here.agentName(textIn(props.block.input, "agent") || "copilot");
  return (
    <details
      class="copilot-block"
      data-testid="block-tool"
      data-status={props.block.status}
      open={isOpen()}
      onToggle={(event) => {
        if (event.currentTarget.open !== isOpen()) kept().set(event.currentTarget.open);
      }}
    >
      <summary class="fold-line">
        <AgentIcon />
        <span class="cut">
          {agent()}
          <Show when={session()}> [{visibleText(session())}]</Show>
          <Show when={hasEnded(props.block)}> — {progressOf(props.block)}</Show>
        </span>
        <Show when={!hasEnded(props.block) && props.block.turn === here.liveTurn}>
          <Spinner label="Working" />
        </Show>
        <span class="fold-sign">
          <ChevronIcon />
        </span>
      </summary>
      <div class="copilot-body">
        <For each={rows()}>
          {(row, at) => (
            <Show
              when={row.kind === "block" && row.block.kind === "text" && row.block}
              fallback={<Row row={row} isLast={at() === rows().length - 1} turn={() => NO_TURN} />}
            >
              {(block) => <pre class="copilot-stream">{visibleText((block() as { text: string }).text)}</pre>}
            </Show>
          )}
        </For>
      </div>
    </details>
  );
}

function textIn(input: unknown, name: string): string {
  const value = typeof input === "object" && input !== null ? (input as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : "";
}
