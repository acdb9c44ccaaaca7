// The end of a turn: why it ended, how long it took, its answer to copy; the error when it failed.
import { Show, type JSX } from "solid-js";

import type { Json, TurnBlock } from "../../state";
import { CopyButton } from "../controls/CopyButton";
import { useHere } from "../conversation/here";
import { CheckIcon, StopIcon } from "../icons";
import { clock, duration } from "../when";
import { ErrorCard } from "./ErrorCard";
import { isGoodEnd, stopReason } from "./stopReasons";

export function TurnFooter(props: { block: TurnBlock; answer: string; files: number }): JSX.Element {
  const here = useHere();
  const seconds = () => props.block.at - props.block.since;
  return (
    <div class="turn-end" data-testid="turn-footer" data-stop-reason={props.block.stop_reason}>
      <Show when={props.block.error}>
        {(error) => (
          <ErrorCard
            name={`${here.chatId}:${props.block.pos}`}
            message={error().message}
            hint={error().hint}
            details={detailsOf(error())}
          />
        )}
      </Show>
      <footer class="turn-foot">
        <Show when={isGoodEnd(props.block.stop_reason)} fallback={<StopIcon />}>
          <CheckIcon />
        </Show>
        <span>{stopReason(props.block.stop_reason)}</span>
        <span title={`Ended at ${clock(props.block.at)}`}>{duration(seconds())}</span>
        <Show when={props.files > 0}>
          <span>
            {props.files} {props.files === 1 ? "file" : "files"} changed
          </span>
        </Show>
        <Show when={props.answer !== ""}>
          <CopyButton text={() => props.answer} label="Copy answer" words="Copy answer" />
        </Show>
      </footer>
    </div>
  );
}

function detailsOf(error: NonNullable<TurnBlock["error"]>): Record<string, Json> {
  const { message: _message, hint: _hint, ...rest } = error;
  return rest as Record<string, Json>;
}
