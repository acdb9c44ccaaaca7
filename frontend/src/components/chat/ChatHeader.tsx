// The header of a chat: back, title, workspace, status and menu.
import { Show, type JSX } from "solid-js";

import { pathTo, type ChatState } from "../../state";
import { Menu, type MenuItem } from "../controls/Menu";
import { BackIcon, MoreIcon, PanelIcon, ShieldIcon } from "../icons";
import { baseName } from "../paths";
import { StatusChip } from "./StatusChip";
import { sandboxOf, statusOf } from "./status";
import { labels } from "./labels";

export function ChatHeader(props: {
  state: ChatState;
  agentName: string;
  isPanelOpen: boolean;
  /** Requests are approved automatically. */
  isUnattended: boolean;
  menu: readonly MenuItem[];
  onPanel: () => void;
  onAgent: () => void;
}): JSX.Element {
  const workspace = () => props.state.head.workspace ?? "";
  return (
    <header class="chat-head">
      <a class="icon-button only-narrow" href={pathTo.home} aria-label={labels.allChats}>
        <BackIcon />
      </a>
      <div class="chat-name">
        <h1 class="cut" title={props.state.head.title}>
          {props.state.head.title || labels.newChat}
        </h1>
        <p class="chat-place cut" title={workspace()}>
          <Show when={sandboxOf(props.state)}>
            <ShieldIcon />
          </Show>
          {props.agentName}
          <Show when={workspace()}> in {baseName(workspace())}</Show>
          <Show when={sandboxOf(props.state)}>{(level) => <span data-testid="sandboxed"> · sandboxed: {level()}</span>}</Show>
          <Show when={props.isUnattended}>
            <span class="unattended"> · {labels.autoApprove}</span>
          </Show>
        </p>
      </div>
      <StatusChip status={statusOf(props.state)} onPress={props.onAgent} />
      <button
        type="button"
        class="icon-button"
        aria-label={labels.panel}
        aria-pressed={props.isPanelOpen}
        onClick={() => props.onPanel()}
      >
        <PanelIcon />
      </button>
      <Menu label={labels.more} icon={MoreIcon} items={props.menu} />
    </header>
  );
}
