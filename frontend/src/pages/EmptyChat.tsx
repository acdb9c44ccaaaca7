// A chat nobody has said anything in yet.
import { Show, type JSX } from "solid-js";

export function EmptyChat(props: { agentName: string; workspace: string }): JSX.Element {
  return (
    <div class="empty-chat">
      <p class="empty-title">Say what {props.agentName} shall do.</p>
      <Show when={props.workspace}>
        <p class="quiet">
          It works in <span class="mono breakable">{props.workspace}</span>.
        </p>
      </Show>
    </div>
  );
}
