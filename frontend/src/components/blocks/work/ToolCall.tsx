// A tool call: verb and object in one line that expands.
import { Match, Show, Switch, type JSX } from "solid-js";

import type { ToolBlock } from "../../../state";
import { Fold } from "../../controls/fold/Fold";
import { Spinner } from "../../controls/Spinner";
import { useChatContext } from "../../conversation/chatContext";
import { ChangeCount } from "../../diff/ChangeCount";
import { KindIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import { ToolDetail } from "../../tool/ToolDetail";
import { changeOf, isCodeSubject, progressOf, reasonOf, subjectOf, terminalsOf, verbOf } from "../../tool/toolLabels";
import { labels } from "../labels";

export function ToolCall(props: { block: ToolBlock }): JSX.Element {
  const context = useChatContext();
  /** The output of a command is shown while it runs. */
  const isPrinting = () =>
    terminalsOf(props.block).some((id) => {
      const terminal = context.terminal(id);
      return terminal !== undefined && !terminal.exit;
    });
  return (
    <div data-testid="block-tool" data-block={props.block.pos} data-status={props.block.status}>
      <Fold
        name={`${context.chatId}:${props.block.pos}`}
        class={`tool tool-${progressOf(props.block)}`}
        isOpenAtFirst={isPrinting()}
        summary={<ToolLine block={props.block} />}
      >
        <ToolDetail block={props.block} />
      </Fold>
      <Show when={progressOf(props.block) === "failed" && reasonOf(props.block)}>
        {(reason) => <p class="tool-reason">{visibleText(firstLine(reason()))}</p>}
      </Show>
    </div>
  );
}

/** Icon, verb, subject and progress. */
export function ToolLine(props: { block: ToolBlock }): JSX.Element {
  const context = useChatContext();
  const subject = () => visibleText(firstLine(subjectOf(props.block, context.workspace)));
  return (
    <>
      <KindIcon kind={props.block.tool_kind} />
      <Show when={verbOf(props.block)}>{(verb) => <span class="tool-verb">{verb()}</span>}</Show>
      <span class="cut" classList={{ mono: isCodeSubject(props.block) }} title={subject()}>
        {subject()}
      </span>
      <Show when={changeOf(props.block)}>{(change) => <ChangeCount {...change()} />}</Show>
      <Show when={props.block.unasked}>
        <span class="tool-word tool-word-need" data-testid="unasked" title={labels.unaskedHelp}>
          {labels.unasked}
        </span>
      </Show>
      <ToolState block={props.block} />
    </>
  );
}

function ToolState(props: { block: ToolBlock }): JSX.Element {
  const context = useChatContext();
  const progress = () => progressOf(props.block);
  const isLive = () => props.block.turn !== undefined && props.block.turn === context.liveTurn;
  return (
    <Switch>
      <Match when={progress() === "failed"}>
        <span class="tool-word tool-word-bad">{labels.failed}</span>
      </Match>
      <Match when={progress() === "cancelled"}>
        <span class="tool-word">{labels.stopped}</span>
      </Match>
      <Match when={context.isAsked(props.block.id)}>
        <span class="tool-word tool-word-need">{labels.waiting}</span>
      </Match>
      <Match when={progress() === "running" && isLive()}>
        <Spinner label={labels.running} />
      </Match>
    </Switch>
  );
}

function firstLine(text: string): string {
  const [first = "", ...rest] = text.trim().split("\n");
  return rest.length > 0 ? `${first} …` : first;
}
