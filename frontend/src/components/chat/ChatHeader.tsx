// The head of a chat: back, title, place, status, and what else can be done.
import { Show, type JSX } from "solid-js";

import { pathTo, type ChatState } from "../../state";
import { Menu, type MenuItem } from "../controls/Menu";
import { BackIcon, MoreIcon, PanelIcon } from "../icons";
import { baseName } from "../paths";
import { StatusChip } from "./StatusChip";
import { statusOf } from "./status";

export function ChatHeader(props: {
  state: ChatState;
  agentName: string;
  isPanelOpen: boolean;
  /** What the agent asks for is approved by itself. */
  isUnattended: boolean;
  menu: readonly MenuItem[];
  onPanel: () => void;
  onAgent: () => void;
}): JSX.Element {
  const workspace = () => props.state.head.workspace ?? "";
  return (
    <header class="chat-head">
      <a class="icon-button only-narrow" href={pathTo.home} aria-label="All chats">
        <BackIcon />
      </a>
      <div class="chat-name">
        <h1 class="cut" title={props.state.head.title}>
          {props.state.head.title || "New chat"}
        </h1>
        <p class="chat-place cut" title={workspace()}>
          {props.agentName}
          <Show when={workspace()}> in {baseName(workspace())}</Show>
          <Show when={props.isUnattended}>
            <span class="unattended"> · approves by itself</span>
          </Show>
        </p>
      </div>
      <StatusChip status={statusOf(props.state)} onPress={props.onAgent} />
      <button
        type="button"
        class="icon-button"
        aria-label="Plan, changes and details"
        aria-pressed={props.isPanelOpen}
        onClick={() => props.onPanel()}
      >
        <PanelIcon />
      </button>
      <Menu label="More" icon={MoreIcon} items={props.menu} />
    </header>
  );
}
