// The chats, by the attention they want.
import { createMemo, createSignal, For, onCleanup, Show, type JSX } from "solid-js";

import type { ChatInfo, ChatList as Chats } from "../../state";
import { Skeleton } from "../controls/Skeleton";
import { attentionGroups, type Attention, type AttentionGroup } from "./attention";
import { ChatListItem } from "./ChatListItem";
import { seenUpTo } from "./seen";

/** Of chats that want nothing, this many are shown at first. */
const EARLIER_AT_FIRST = 30;

export function ChatList(props: { chats: Chats; current: string | undefined }): JSX.Element {
  const groups = createMemo(() => attentionGroups(props.chats.list, (chat) => seenUpTo(chat)));
  return (
    <Show when={props.chats.isLoaded} fallback={<Skeleton lines={9} label="Loading chats" />}>
      <Show when={groups().length > 0} fallback={<p class="list-empty">Your chats will be listed here.</p>}>
        <For each={groups().map((group) => group.attention)}>
          {(attention) => <Group group={groups().find((one) => one.attention === attention)!} current={props.current} />}
        </For>
      </Show>
    </Show>
  );
}

function Group(props: { group: AttentionGroup; current: string | undefined }): JSX.Element {
  const [isWhole, setWhole] = createSignal(false);
  const now = useMinutes();
  const shown = () =>
    props.group.attention === "earlier" && !isWhole() ? props.group.chats.slice(0, EARLIER_AT_FIRST) : props.group.chats;
  const hidden = () => props.group.chats.length - shown().length;
  return (
    <section class={`list-group list-${props.group.attention}`} aria-label={heading(props.group)}>
      <h2 class="list-head">
        {props.group.name}
        <Show when={props.group.attention !== "earlier"}>
          <span class="list-count">{props.group.chats.length}</span>
        </Show>
      </h2>
      <ul>
        <For each={shown() as ChatInfo[]}>
          {(chat) => (
            <li>
              <ChatListItem
                chat={chat}
                attention={props.group.attention as Attention}
                isCurrent={chat.id === props.current}
                now={now()}
              />
            </li>
          )}
        </For>
      </ul>
      <Show when={hidden() > 0}>
        <button type="button" class="text-button" onClick={() => setWhole(true)}>
          Show {hidden()} more
        </button>
      </Show>
    </section>
  );
}

function heading(group: AttentionGroup): string {
  return `${group.name}, ${group.chats.length}`;
}

/** The time, in steps of half a minute: enough for "5 min". */
function useMinutes(): () => number {
  const [now, setNow] = createSignal(Date.now() / 1000);
  const timer = setInterval(() => setNow(Date.now() / 1000), 30_000);
  onCleanup(() => clearInterval(timer));
  return now;
}
