// A chat: while it loads, when it is gone, and when it is there.
import { Match, Show, Switch, type JSX } from "solid-js";

import { pathTo, useChat } from "../state";
import { LoadingChat } from "./Loading";
import { OpenChat } from "./OpenChat";

export default function ChatPage(props: { id: string }): JSX.Element {
  const chat = useChat(() => props.id);
  return (
    <Switch fallback={<LoadingChat />}>
      <Match when={chat.phase === "gone"}>
        <GoneChat />
      </Match>
      <Match when={chat.state}>
        <Show when={chat.state} keyed>
          {(state) => <OpenChat chat={chat} state={state} />}
        </Show>
      </Match>
    </Switch>
  );
}

function GoneChat(): JSX.Element {
  return (
    <div class="notice-page">
      <h1>There is no such chat</h1>
      <p class="quiet">It may have been deleted, here or on another device.</p>
      <p class="page-actions">
        <a class="button" href={pathTo.home}>
          All chats
        </a>
        <a class="button button-main" href={pathTo.newChat}>
          New chat
        </a>
      </p>
    </div>
  );
}
