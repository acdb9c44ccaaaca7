// A command of an agent that no tool call tells of: one line that opens, open while it runs.
import { Show, type JSX } from "solid-js";

import type { TerminalBlock } from "../../state";
import { Fold } from "../controls/Fold";
import { Spinner } from "../controls/Spinner";
import { useHere } from "../conversation/here";
import { KindIcon } from "../icons";
import { visibleText } from "../question/visibleText";
import { Terminal } from "../tool/Terminal";
import { Command } from "../tool/ToolDetail";
import { commandOf } from "../tool/words";

export function TerminalBlockView(props: { block: TerminalBlock }): JSX.Element {
  const here = useHere();
  const command = () => commandOf({ input: { command: props.block.command ?? "" } }) ?? "";
  const hasFailed = () => props.block.exit !== undefined && props.block.exit.exit_code !== 0;
  return (
    <div data-testid="block-terminal">
      <Fold
        name={`${here.chatId}:${props.block.pos}`}
        class={`tool tool-${hasFailed() ? "failed" : props.block.exit ? "done" : "running"}`}
        isOpenAtFirst={!props.block.exit}
        summary={
          <>
            <KindIcon kind="execute" />
            <span class="tool-verb">{props.block.exit ? "Ran" : "Running"}</span>
            <span class="cut mono">{visibleText(command().trim().split("\n")[0] ?? "")}</span>
            <Show when={!props.block.exit}>
              <Spinner label="Running" />
            </Show>
          </>
        }
      >
        <div class="tool-detail">
          <Command command={command()} folder={props.block.cwd ?? null} />
          <Terminal block={props.block} />
        </div>
      </Fold>
    </div>
  );
}
