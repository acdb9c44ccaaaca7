// A command that runs on this machine: its live output and how it ended.
import { Show, type JSX } from "solid-js";

import type { TerminalBlock } from "../../../state";
import { useChatContext } from "../../conversation/chatContext";
import { TerminalInput } from "./TerminalInput";
import { TerminalText } from "./TerminalText";
import { endOf } from "../toolLabels";
import { labels } from "../labels";

/** Output and end of a terminal, without its command. */
export function Terminal(props: { block: TerminalBlock }): JSX.Element {
  return (
    <div class="terminal-run" data-testid="terminal" data-state={props.block.exit ? "ended" : "running"}>
      <Show when={props.block.text}>
        <TerminalText text={props.block.text} label={labels.output} follows isLive={props.block.takes_input ?? false} />
      </Show>
      <Show when={props.block.held}>
        <p class="cut-note">{labels.truncated}</p>
      </Show>
      <Show when={props.block.takes_input && !props.block.exit}>
        <TerminalInput terminal={props.block.terminal_id} />
      </Show>
      <p class="exit-code">{props.block.exit ? endOf(props.block.exit) : labels.running}</p>
    </div>
  );
}

/** The terminal that a tool call names, if it runs or ran here. */
export function NamedTerminal(props: { id: string | undefined }): JSX.Element {
  const context = useChatContext();
  return <Show when={props.id ? context.terminal(props.id) : undefined}>{(block) => <Terminal block={block()} />}</Show>;
}
