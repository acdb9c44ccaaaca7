// Work the assistant handed to an agent: its text, calls, plan and questions inside one block of their own.
//
// Open while it runs; folds itself when it is done, unless a person opened or closed it.
import { createMemo, For, Show, type JSX } from "solid-js";

import type { Block, ToolBlock } from "../../state";
import { CopyButton } from "../controls/CopyButton";
import { Fold } from "../controls/Fold";
import { opened } from "../controls/opened";
import { Spinner } from "../controls/Spinner";
import { useHere } from "../conversation/here";
import { NO_TURN, Row } from "../conversation/Row";
import { rowsOf, type Row as RowShape } from "../conversation/rows";
import { AgentIcon, ChevronIcon, GearIcon } from "../icons";
import { visibleText } from "../question/visibleText";
import { AgentStream } from "./AgentStream";
import { delegationOf, isRecovered, shortName } from "./delegation";

export function DelegatedWork(props: { block: ToolBlock; inner: readonly Block[] }): JSX.Element {
  const here = useHere();
  const name = () => `${here.chatId}:${props.block.pos}`;
  const kept = () => opened(name());
  const work = createMemo(() => delegationOf(props.block, props.inner));
  const isLive = () => !work().copilotDone && props.block.turn !== undefined && props.block.turn === here.liveTurn;
  const isOpen = () => kept().wish ?? isLive();
  const agent = () => work().agent ?? here.agent;
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
          <p class="quiet small">What the agent was asked</p>
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
            {visibleText(shortName(agent(), here.agentName(agent())))}
            <Show when={work().copilotSessionName}>{(session) => <> [{visibleText(session())}]</>}</Show>
            <Show when={work().end}>{(end) => <> — {end()}</>}</Show>
          </span>
          <Show when={isLive()}>
            <Show when={work().waits} fallback={<Spinner label="Working" />}>
              <span class="tool-word tool-word-need">waits for you</span>
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
  const here = useHere();
  const rows = createMemo<RowShape[]>((before) => rowsOf(props.inner, here.liveTurn, before), []);
  const byKey = createMemo(() => new Map(rows().map((row) => [row.key, row])));
  const keys = createMemo(() => rows().map((row) => row.key));
  /** What went wrong before the agent could say a word. */
  const failure = () => (props.block.result?.is_error && props.inner.length === 0 ? props.block.result.content : "");
  const spoken = (key: string) => {
    const row = byKey().get(key);
    return row?.kind === "block" && row.block.kind === "text" ? row.block : undefined;
  };
  return (
    <div class="copilot-body">
      <Show when={props.isLive && isRecovered(props.block, here.recoveredAt(props.block.turn), performance.timeOrigin / 1000)}>
        <p class="quiet small">recovered, still running</p>
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
        <CopyButton text={() => props.stream} label="Copy the agent’s words" words="Copy" />
      </Show>
      <Show when={failure()}>{(words) => <p class="tool-reason">{visibleText(words())}</p>}</Show>
      <Show when={props.isLive && props.inner.length === 0}>
        <p class="quiet small">Nothing said yet.</p>
      </Show>
    </div>
  );
}

/** A sign that is copied and found as a character, and drawn as all our signs are. */
function Drawn(props: { glyph: string; icon: () => JSX.Element }): JSX.Element {
  return (
    <span class="drawn" aria-hidden="true">
      {props.glyph} {props.icon()}
    </span>
  );
}
