// A tool call: what is done to what, in one line that opens.
import { Match, Show, Switch, type JSX } from "solid-js";

import type { ToolBlock } from "../../state";
import { Fold } from "../controls/Fold";
import { Spinner } from "../controls/Spinner";
import { useHere } from "../conversation/here";
import { ChangeCount } from "../diff/ChangeCount";
import { KindIcon } from "../icons";
import { visibleText } from "../question/visibleText";
import { ToolDetail } from "../tool/ToolDetail";
import { changeOf, isCodeSubject, progressOf, reasonOf, subjectOf, terminalsOf, verbOf } from "../tool/words";

const UNASKED =
  "This changed something, and the agent did not ask for permission. It may run in a mode that does not ask, or take an earlier answer further than you meant it.";

export function ToolCall(props: { block: ToolBlock }): JSX.Element {
  const here = useHere();
  /** What a command prints is in view as long as it runs. */
  const isPrinting = () =>
    terminalsOf(props.block).some((id) => {
      const terminal = here.terminal(id);
      return terminal !== undefined && !terminal.exit;
    });
  return (
    <div data-testid="block-tool" data-block={props.block.pos} data-status={props.block.status}>
      <Fold
        name={`${here.chatId}:${props.block.pos}`}
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

/** Icon, verb, subject, and how far it is. */
export function ToolLine(props: { block: ToolBlock }): JSX.Element {
  const here = useHere();
  const subject = () => visibleText(firstLine(subjectOf(props.block, here.workspace)));
  return (
    <>
      <KindIcon kind={props.block.tool_kind} />
      <Show when={verbOf(props.block)}>{(verb) => <span class="tool-verb">{verb()}</span>}</Show>
      <span class="cut" classList={{ mono: isCodeSubject(props.block) }} title={subject()}>
        {subject()}
      </span>
      <Show when={changeOf(props.block)}>{(change) => <ChangeCount {...change()} />}</Show>
      <Show when={props.block.unasked}>
        <span class="tool-word tool-word-need" data-testid="unasked" title={UNASKED}>
          acted without asking
        </span>
      </Show>
      <ToolState block={props.block} />
    </>
  );
}

function ToolState(props: { block: ToolBlock }): JSX.Element {
  const here = useHere();
  const progress = () => progressOf(props.block);
  const isLive = () => props.block.turn !== undefined && props.block.turn === here.liveTurn;
  return (
    <Switch>
      <Match when={progress() === "failed"}>
        <span class="tool-word tool-word-bad">failed</span>
      </Match>
      <Match when={progress() === "cancelled"}>
        <span class="tool-word">stopped</span>
      </Match>
      <Match when={here.isAsked(props.block.id)}>
        <span class="tool-word tool-word-need">waits for you</span>
      </Match>
      <Match when={progress() === "running" && isLive()}>
        <Spinner label="Running" />
      </Match>
    </Switch>
  );
}

function firstLine(text: string): string {
  const [first = "", ...rest] = text.trim().split("\n");
  return rest.length > 0 ? `${first} …` : first;
}
