// A command that runs on this machine: what it prints while it prints it, and how it ended.
import { Show, type JSX } from "solid-js";

import type { TerminalBlock } from "../../state";
import { useHere } from "../conversation/here";
import { TerminalInput } from "./TerminalInput";
import { TerminalText } from "./TerminalText";
import { endOf } from "./words";

/** Output and end of a terminal, without its command. */
export function Terminal(props: { block: TerminalBlock }): JSX.Element {
  return (
    <div class="terminal-run" data-testid="terminal" data-state={props.block.exit ? "ended" : "running"}>
      <Show when={props.block.text}>
        <TerminalText text={props.block.text} label="Output" follows isLive={props.block.takes_input ?? false} />
      </Show>
      <Show when={props.block.held}>
        <p class="cut-note">There is more than is shown here. Its end comes when the command ends.</p>
      </Show>
      <Show when={props.block.takes_input && !props.block.exit}>
        <TerminalInput terminal={props.block.terminal_id} />
      </Show>
      <p class="exit-code">{props.block.exit ? endOf(props.block.exit) : "Running"}</p>
    </div>
  );
}

/** The terminal a tool call names, if it is one that runs or ran here. */
export function NamedTerminal(props: { id: string | undefined }): JSX.Element {
  const here = useHere();
  return <Show when={props.id ? here.terminal(props.id) : undefined}>{(block) => <Terminal block={block()} />}</Show>;
}
