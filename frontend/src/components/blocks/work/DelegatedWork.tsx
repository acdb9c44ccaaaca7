// Work delegated to an agent: its text, calls, plan and questions in one block.
//
// Expanded while it runs; collapses when it is done, unless a person toggled it.
import { createMemo, For, Show, type JSX } from "solid-js";

import type { Block, ToolBlock } from "../../../state";
import { CopyButton } from "../../controls/copy/CopyButton";
import { Fold } from "../../controls/fold/Fold";
import { foldState } from "../../controls/fold/foldState";
import { Spinner } from "../../controls/Spinner";
import { useChatContext } from "../../conversation/chatContext";
import { NO_TURN, Row } from "../../conversation/Row";
import { rowsOf, type Row as RowShape } from "../../conversation/rows";
import { AgentIcon, ChevronIcon, GearIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import { AgentStream } from "./AgentStream";
import { delegationOf, isRecovered, shortName } from "./delegation";
import { labels } from "../labels";

export function DelegatedWork(props: { block: ToolBlock; inner: readonly Block[] }): JSX.Element {
  const context = useChatContext();
  const name = () => `${context.chatId}:${props.block.pos}`;
  const kept = () => foldState(name());
  const work = createMemo(() => delegationOf(props.block, props.inner));
  const isLive = () => !work().copilotDone && props.block.turn !== undefined && props.block.turn === context.liveTurn;
  const isOpen = () => kept().wish ?? isLive();
  const agent = () => work().agent ?? context.agent;
  return (
    <div class="delegation" data-testid="block-tool" data-status={props.block.status}>
      <Fold
        name={`${name()}:prompt`}
        class="tool"
        summary={
          <>
            <Drawn glyph="⚙" icon={GearIcon} />
            <span class="cut">copilot_agent</span>
          </>
        }
      >
        <div class="tool-detail">
          <p class="quiet small">{labels.task}</p>
          <pre class="delegation-prompt" dir="auto">
            {visibleText(work().prompt)}
          </pre>
        </div>
      </Fold>
      <details
        class="copilot-block"
        data-testid="copilot-block"
        data-done={work().copilotDone}
        open={isOpen()}
        onToggle={(event) => {
          if (event.currentTarget.open !== isOpen()) kept().set(event.currentTarget.open);
        }}
      >
        <summary class="fold-line">
          <Drawn glyph="🤖" icon={AgentIcon} />
          <span class="cut copilot-name">
            {visibleText(shortName(agent(), context.agentName(agent())))}
            <Show when={work().copilotSessionName}>{(session) => <> [{visibleText(session())}]</>}</Show>
            <Show when={work().end}>{(end) => <> — {end()}</>}</Show>
          </span>
          <Show when={isLive()}>
            <Show when={work().waits} fallback={<Spinner label={labels.working} />}>
              <span class="tool-word tool-word-need">{labels.waiting}</span>
            </Show>
          </Show>
          <span class="fold-sign">
            <ChevronIcon />
          </span>
        </summary>
        <Body block={props.block} inner={props.inner} stream={work().copilotStream} isLive={isLive()} />
      </details>
    </div>
  );
}

function Body(props: { block: ToolBlock; inner: readonly Block[]; stream: string; isLive: boolean }): JSX.Element {
  const context = useChatContext();
  const rows = createMemo<RowShape[]>((before) => rowsOf(props.inner, context.liveTurn, before), []);
  const byKey = createMemo(() => new Map(rows().map((row) => [row.key, row])));
  const keys = createMemo(() => rows().map((row) => row.key));
  /** The error if the agent failed before any output. */
  const failure = () => (props.block.result?.is_error && props.inner.length === 0 ? props.block.result.content : "");
  const spoken = (key: string) => {
    const row = byKey().get(key);
    return row?.kind === "block" && row.block.kind === "text" ? row.block : undefined;
  };
  return (
    <div class="copilot-body">
      <Show when={props.isLive && isRecovered(props.block, context.recoveredAt(props.block.turn), performance.timeOrigin / 1000)}>
        <p class="quiet small">{labels.recovered}</p>
      </Show>
      <For each={keys()}>
        {(key, at) => (
          <Show
            when={spoken(key)}
            fallback={<Row row={byKey().get(key)!} isLast={at() === keys().length - 1} turn={() => NO_TURN} />}
          >
            {(block) => <AgentStream block={block()} isLive={props.isLive && at() === keys().length - 1} />}
          </Show>
        )}
      </For>
      <Show when={!props.isLive && props.stream}>
        <CopyButton text={() => props.stream} label={labels.copyAgentOutput} words={labels.copy} />
      </Show>
      <Show when={failure()}>{(words) => <p class="tool-reason">{visibleText(words())}</p>}</Show>
      <Show when={props.isLive && props.inner.length === 0}>
        <p class="quiet small">{labels.noOutput}</p>
      </Show>
    </div>
  );
}

/** A symbol that is copied and found as a character but drawn as an icon. */
function Drawn(props: { glyph: string; icon: () => JSX.Element }): JSX.Element {
  return (
    <span class="drawn" aria-hidden="true">
      {props.glyph} {props.icon()}
    </span>
  );
}
