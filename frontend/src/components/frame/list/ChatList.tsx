// The list of chats, grouped by the attention they need.
import { createMemo, createSignal, For, onCleanup, Show, type JSX } from "solid-js";

import { loadMore, type ChatList as Chats } from "../../../state";
import { Skeleton } from "../../controls/Skeleton";
import { attentionGroups, type AttentionGroup } from "./attention";
import { ChatListItem } from "./ChatListItem";
import { seenUpTo } from "./seen";
import { labels } from "../labels";

/** How many chats that need nothing are shown at first. */
const EARLIER_AT_FIRST = 30;

export function ChatList(props: { chats: Chats; current: string | undefined }): JSX.Element {
  const groups = createMemo(() => attentionGroups(props.chats.list, (chat) => seenUpTo(chat)));
  return (
    <Show when={props.chats.isLoaded} fallback={<Skeleton lines={9} label={labels.loadingChats} />}>
      <Show when={groups().length > 0} fallback={<p class="list-empty">{labels.noChats}</p>}>
        <For each={groups().map((group) => group.attention)}>
          {(attention) => <Group group={groups().find((one) => one.attention === attention)!} current={props.current} />}
        </For>
        <Show when={props.chats.hasMore}>
          <button type="button" class="text-button" ref={whenSeen(loadMore)} onClick={() => void loadMore()}>
            {labels.olderChats}
          </button>
        </Show>
      </Show>
    </Show>
  );
}

/** Act when the element is scrolled into view. */
function whenSeen(act: () => Promise<void>): (element: HTMLElement) => void {
  return (element) => {
    if (typeof IntersectionObserver === "undefined") return;
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) void act().catch(() => undefined);
    });
    watcher.observe(element);
    onCleanup(() => watcher.disconnect());
  };
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
        <For each={shown()}>
          {(chat) => (
            <li>
              <ChatListItem
                chat={chat}
                attention={props.group.attention}
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

/** The current time, updated every half minute: enough for "5 min". */
function useMinutes(): () => number {
  const [now, setNow] = createSignal(Date.now() / 1000);
  const timer = setInterval(() => setNow(Date.now() / 1000), 30_000);
  onCleanup(() => clearInterval(timer));
  return now;
}
