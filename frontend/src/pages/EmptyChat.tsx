// A chat nobody has said anything in yet.
import { Show, type JSX } from "solid-js";

import { PathText } from "../components/controls/PathText";

export function EmptyChat(props: { agentName: string; workspace: string }): JSX.Element {
  return (
    <div class="empty-chat">
      <p class="empty-title">Say what {props.agentName} shall do.</p>
      <Show when={props.workspace}>
        <p class="quiet">
          It works in <PathText path={props.workspace} />.
        </p>
      </Show>
    </div>
  );
}
