// A chat page: loading, not found, or open.
import { Match, Show, Switch, type JSX } from "solid-js";

import { Part } from "../../components/controls/Part";
import { pathTo, useChat } from "../../state";
import { LoadingChat } from "../Loading";
import { OpenChat } from "./OpenChat";
import { labels } from "../labels";

export default function ChatPage(props: { id: string }): JSX.Element {
  const chat = useChat(() => props.id);
  return (
    <Switch fallback={<LoadingChat />}>
      <Match when={chat.phase === "gone"}>
        <GoneChat />
      </Match>
      <Match when={chat.state}>
        <Show when={chat.state} keyed>
          {(state) => (
            <Part>
              <OpenChat chat={chat} state={state} />
            </Part>
          )}
        </Show>
      </Match>
    </Switch>
  );
}

function GoneChat(): JSX.Element {
  return (
    <div class="notice-page">
      <h1>{labels.chat.gone}</h1>
      <p class="quiet">{labels.chat.goneHelp}</p>
      <p class="page-actions">
        <a class="button" href={pathTo.home}>
          {labels.allChats}
        </a>
        <a class="button button-main" href={pathTo.newChat}>
          {labels.newChat}
        </a>
      </p>
    </div>
  );
}
