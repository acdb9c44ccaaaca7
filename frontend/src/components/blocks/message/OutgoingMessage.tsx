// A message that is being sent to the server.
import { Show, type JSX } from "solid-js";

import { discardSend, retrySend, type Outgoing } from "../../../state";
import { PersonMessage } from "./Message";
import { labels } from "../labels";

export function OutgoingMessage(props: { message: Outgoing }): JSX.Element {
  return (
    <PersonMessage
      text={props.message.text}
      attachments={props.message.attachments}
      note={labels.outgoing[props.message.state]}
      isPending={true}
    >
      <Show when={props.message.state === "refused"}>
        <span class="message-problem">
          : {props.message.problem?.message} {props.message.problem?.hint}
        </span>
        <button type="button" class="text-button" onClick={() => retrySend(props.message.key)}>
          {labels.tryAgain}
        </button>
      </Show>
      <Show when={props.message.state !== "sending"}>
        <button type="button" class="text-button" onClick={() => discardSend(props.message.key)}>
          {labels.edit}
        </button>
      </Show>
    </PersonMessage>
  );
}
