// One chat in the list: status, title, workspace and last activity.
import { Match, Show, Switch, type JSX } from "solid-js";

import { pathTo, type ChatInfo } from "../../../state";
import { Spinner } from "../../controls/Spinner";
import { CrossIcon } from "../../icons";
import { baseName } from "../../paths";
import { ago } from "../../when";
import type { Attention } from "./attention";
import { labels } from "../labels";

const STATES: Record<Attention, string> = {
  "needs-you": labels.needsYou,
  working: "working",
  ready: "ready",
  failed: "failed",
  earlier: "",
};

export function ChatListItem(props: {
  chat: ChatInfo;
  attention: Attention;
  isCurrent: boolean;
  now: number;
}): JSX.Element {
  const title = () => props.chat.title || labels.newChat;
  return (
    <a
      class={`list-item item-${props.attention}`}
      href={pathTo.chat(props.chat.id)}
      data-testid="chat-list-item"
      data-status={props.chat.status}
      aria-current={props.isCurrent ? "page" : undefined}
    >
      <span class="item-sign">
        <Switch>
          <Match when={props.attention === "working"}>
            <Spinner />
          </Match>
          <Match when={props.attention === "failed"}>
            <CrossIcon />
          </Match>
          <Match when={props.attention !== "earlier"}>
            <span class="dot" />
          </Match>
        </Switch>
      </span>
      <span class="item-title cut">{title()}</span>
      <span class="item-place cut">
        {baseName(props.chat.workspace)}
        <Show when={props.chat.agent}> · {props.chat.agent}</Show>
        <Show when={props.chat.queued > 0}> · {props.chat.queued} queued</Show>
      </span>
      <span class="item-time">{ago(props.chat.updated_at, props.now)}</span>
      <Show when={STATES[props.attention]}>{(state) => <span class="unseen">, {state()}</span>}</Show>
    </a>
  );
}
