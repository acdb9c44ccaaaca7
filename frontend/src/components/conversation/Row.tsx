// One row of the conversation, drawn by its kind.
import { Match, Switch, type JSX } from "solid-js";

import type { Block, BlockKind, BlockOf } from "../../state";
import { ActivityGroup } from "../blocks/work/ActivityGroup";
import { AnsweredQuestion } from "../blocks/AnsweredQuestion";
import { DelegatedWork } from "../blocks/work/DelegatedWork";
import { Message } from "../blocks/message/Message";
import { Notice } from "../blocks/Notice";
import { PlanBlockView } from "../blocks/work/PlanBlock";
import { TerminalBlockView } from "../blocks/work/TerminalBlock";
import { TextBlockView } from "../blocks/TextBlock";
import { Thought } from "../blocks/work/Thought";
import { ToolCall } from "../blocks/work/ToolCall";
import { TurnFooter } from "../blocks/TurnFooter";
import { UnknownBlockView } from "../blocks/UnknownBlock";
import { Part } from "../controls/Part";
import { useChatContext } from "./chatContext";
import type { Row as RowShape } from "./rows";

/** The summary shown at the end of a turn. */
export interface PastTurn {
  readonly answer: string;
  readonly files: number;
  /** Its start is not loaded. */
  readonly isPart: boolean;
}

export const NO_TURN: PastTurn = { answer: "", files: 0, isPart: false };

export function Row(props: { row: RowShape; isLast: boolean; turn: () => PastTurn }): JSX.Element {
  const group = () => (props.row.kind === "group" ? props.row : undefined);
  const delegated = () => (props.row.kind === "delegated" ? props.row : undefined);
  const block = () => (props.row.kind === "block" ? props.row.block : undefined);
  return (
    <Part value={() => props.row}>
      <Switch>
        <Match when={group()}>{(row) => <ActivityGroup blocks={row().blocks} until={row().until} />}</Match>
        <Match when={delegated()}>{(row) => <DelegatedWork block={row().block} inner={row().inner} />}</Match>
        <Match when={block()}>
          {(shown) => <BlockView block={shown()} until={props.row.until} isLast={props.isLast} turn={props.turn} />}
        </Match>
      </Switch>
    </Part>
  );
}

function BlockView(props: {
  block: Block;
  until: number | undefined;
  isLast: boolean;
  turn: () => PastTurn;
}): JSX.Element {
  const context = useChatContext();
  const a = <K extends BlockKind>(kind: K) => (props.block.kind === kind ? (props.block as BlockOf<K>) : undefined);
  return (
    <Switch fallback={<UnknownBlockView block={{ ...props.block, kind: "unknown", raw: props.block }} />}>
      <Match when={a("message")}>{(block) => <Message block={block()} />}</Match>
      <Match when={a("text")}>{(block) => <TextBlockView block={block()} isLast={props.isLast} />}</Match>
      <Match when={a("thought")}>{(block) => <Thought block={block()} until={props.until} />}</Match>
      <Match when={a("tool")}>{(block) => <ToolCall block={block()} />}</Match>
      <Match when={a("terminal")}>{(block) => <TerminalBlockView block={block()} />}</Match>
      <Match when={a("plan")}>
        {(block) => <PlanBlockView entries={block().entries} isLive={block().turn === context.liveTurn} />}
      </Match>
      <Match when={a("question")}>{(block) => <AnsweredQuestion block={block()} />}</Match>
      <Match when={a("notice")}>{(block) => <Notice block={block()} />}</Match>
      <Match when={a("turn")}>{(block) => <TurnFooter block={block()} {...props.turn()} />}</Match>
      <Match when={a("unknown")}>{(block) => <UnknownBlockView block={block()} />}</Match>
    </Switch>
  );
}
