// The end of a turn: why it ended, how long it took, a copy button, and the error if it failed.
import { Show, type JSX } from "solid-js";

import type { JsonObject, TurnBlock } from "../../state";
import { RestartButtons } from "../chat/agent/RestartButtons";
import { CopyButton } from "../controls/copy/CopyButton";
import { useChatContext } from "../conversation/chatContext";
import type { PastTurn } from "../conversation/Row";
import { CheckIcon, StopIcon } from "../icons";
import { clock, duration } from "../when";
import { ErrorCard } from "./ErrorCard";
import { isGoodEnd, mayGoOn, stopReason } from "./stopReasons";
import { labels } from "./labels";

export function TurnFooter(props: { block: TurnBlock } & PastTurn): JSX.Element {
  const context = useChatContext();
  const seconds = () => props.block.at - props.block.since;
  const copy = () => (props.isPart ? labels.copyAnswerEnd : labels.copyAnswer);
  const isNewest = () => context.newestEnd === props.block.pos;
  return (
    <div class="turn-end" data-testid="turn-footer" data-stop-reason={props.block.stop_reason}>
      <Show when={props.block.error}>
        {(error) => (
          <ErrorCard
            name={`${context.chatId}:${props.block.pos}`}
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
        <span title={labels.endedAt(clock(props.block.at))}>{duration(seconds())}</span>
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
          <button type="button" class="text-button" onClick={() => context.goOn()}>
            {labels.continue}
          </button>
        </Show>
      </footer>
    </div>
  );
}

/** Actions for an interrupted turn, as long as nothing has happened since. */
function WhatNow(props: { reason: string }): JSX.Element {
  const context = useChatContext();
  return (
    <>
      <Show when={mayGoOn(props.reason)}>
        <button type="button" class="button" title={labels.continueHelp} onClick={() => context.goOn()}>
          {labels.continue}
        </button>
      </Show>
      <Show when={context.isAgentDown}>
        <RestartButtons />
      </Show>
    </>
  );
}

function detailsOf(error: NonNullable<TurnBlock["error"]>): JsonObject {
  const { message: _message, hint: _hint, ...rest } = error;
  return rest;
}
