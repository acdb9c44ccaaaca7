// The end of a turn: why it ended, how long it took, its answer to copy; the error when it failed.
import { Show, type JSX } from "solid-js";

import type { Json, TurnBlock } from "../../state";
import { RestartButtons } from "../chat/RestartButtons";
import { CopyButton } from "../controls/CopyButton";
import { useHere } from "../conversation/here";
import type { PastTurn } from "../conversation/Row";
import { CheckIcon, StopIcon } from "../icons";
import { clock, duration } from "../when";
import { ErrorCard } from "./ErrorCard";
import { isGoodEnd, mayGoOn, stopReason } from "./stopReasons";

export function TurnFooter(props: { block: TurnBlock } & PastTurn): JSX.Element {
  const here = useHere();
  const seconds = () => props.block.at - props.block.since;
  const copy = () => (props.isPart ? "Copy end of answer" : "Copy answer");
  const isNewest = () => here.newestEnd === props.block.pos;
  return (
    <div class="turn-end" data-testid="turn-footer" data-stop-reason={props.block.stop_reason}>
      <Show when={props.block.error}>
        {(error) => (
          <ErrorCard
            name={`${here.chatId}:${props.block.pos}`}
            message={error().message}
            hint={error().hint}
            details={detailsOf(error())}
          >
            <Show when={isNewest()}>
              <WhatNow reason={props.block.stop_reason} />
            </Show>
          </ErrorCard>
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
            {props.files}
            {props.isPart ? "+" : ""} {props.files === 1 && !props.isPart ? "file" : "files"} changed
          </span>
        </Show>
        <Show when={props.answer !== ""}>
          <CopyButton text={() => props.answer} label={copy()} words={copy()} />
        </Show>
        <Show when={isNewest() && !props.block.error && mayGoOn(props.block.stop_reason)}>
          <button type="button" class="text-button" onClick={() => here.goOn()}>
            Continue
          </button>
        </Show>
      </footer>
    </div>
  );
}

/** What can be done about a turn that broke off, as long as nothing has happened since. */
function WhatNow(props: { reason: string }): JSX.Element {
  const here = useHere();
  return (
    <>
      <Show when={mayGoOn(props.reason)}>
        <button type="button" class="button" title="Ask the agent to go on where it stopped" onClick={() => here.goOn()}>
          Continue
        </button>
      </Show>
      <Show when={here.isAgentDown}>
        <RestartButtons />
      </Show>
    </>
  );
}

function detailsOf(error: NonNullable<TurnBlock["error"]>): Record<string, Json> {
  const { message: _message, hint: _hint, ...rest } = error;
  return rest as Record<string, Json>;
}
