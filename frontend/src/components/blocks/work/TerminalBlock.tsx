// A command of an agent without a tool call: one line that expands, expanded while it runs.
import { Show, type JSX } from "solid-js";

import type { TerminalBlock } from "../../../state";
import { Fold } from "../../controls/fold/Fold";
import { Spinner } from "../../controls/Spinner";
import { useChatContext } from "../../conversation/chatContext";
import { KindIcon } from "../../icons";
import { visibleText } from "../../question/content/visibleText";
import { Terminal } from "../../tool/terminal/Terminal";
import { Command } from "../../tool/ToolDetail";
import { commandOf } from "../../tool/toolLabels";
import { labels } from "../labels";

export function TerminalBlockView(props: { block: TerminalBlock }): JSX.Element {
  const context = useChatContext();
  const command = () => commandOf({ input: { command: props.block.command ?? "" } }) ?? "";
  const hasFailed = () => props.block.exit !== undefined && props.block.exit.exit_code !== 0;
  return (
    <div data-testid="block-terminal">
      <Fold
        name={`${context.chatId}:${props.block.pos}`}
        class={`tool tool-${hasFailed() ? "failed" : props.block.exit ? "done" : "running"}`}
        isOpenAtFirst={!props.block.exit}
        summary={
          <>
            <KindIcon kind="execute" />
            <span class="tool-verb">{props.block.exit ? labels.ran : labels.running}</span>
            <span class="cut mono">{visibleText(command().trim().split("\n")[0] ?? "")}</span>
            <Show when={!props.block.exit}>
              <Spinner label={labels.running} />
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
