// A chat without messages.
import { Show, type JSX } from "solid-js";

import { PathText } from "../../components/controls/PathText";
import { labels } from "../labels";

export function EmptyChat(props: { agentName: string; workspace: string }): JSX.Element {
  return (
    <div class="empty-chat">
      <p class="empty-title">{labels.chat.empty(props.agentName)}</p>
      <Show when={props.workspace}>
        <p class="quiet">
          {labels.chat.workspace}<PathText path={props.workspace} />
        </p>
      </Show>
    </div>
  );
}
