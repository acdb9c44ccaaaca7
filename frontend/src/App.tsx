// Which page is shown.
//
// Lives here: from the route and the session to a page, each loaded when it is
// first needed. Lives elsewhere: the pages (pages/), the addresses (state/route.ts).

import { lazy, Match, Show, Suspense, Switch, type JSX } from "solid-js";

import "./styles/index.css";
import { Frame } from "./components/frame/Frame";
import { LoadingChat, LoadingPage } from "./pages/Loading";
import { route, session, useChats } from "./state";

const SignInPage = lazy(() => import("./pages/SignInPage"));
const WelcomePage = lazy(() => import("./pages/WelcomePage"));
const ChatPage = lazy(() => import("./pages/chat/ChatPage"));
const NewChatPage = lazy(() => import("./pages/NewChatPage"));
const SettingsPage = lazy(() => import("./pages/SettingsPage"));
const HistoryPage = lazy(() => import("./pages/HistoryPage"));

/** Fetch the other pages early, so that they open without a connection too. */
export async function fetchPages(): Promise<void> {
  await Promise.allSettled([ChatPage, NewChatPage, WelcomePage, SignInPage, SettingsPage, HistoryPage].map((page) => page.preload()));
}

export function App(): JSX.Element {
  return (
    <Show when={session.state === "signed-in"} fallback={<SignInPage />}>
      <Frame>
        <Suspense fallback={chatId() ? <LoadingChat /> : <LoadingPage />}>
          <Switch fallback={<Home />}>
            <Match when={chatId()}>{(id) => <ChatPage id={id()} />}</Match>
            <Match when={route().page === "new"}>
              <NewChatPage />
            </Match>
            <Match when={route().page === "settings"}>
              <SettingsPage />
            </Match>
            <Match when={historyOf()}>{(agent) => <HistoryPage agent={agent()} />}</Match>
          </Switch>
        </Suspense>
      </Frame>
    </Show>
  );
}

/** Without chats the welcome page explains; otherwise there is a list and the new-chat page. */
function Home(): JSX.Element {
  const chats = useChats();
  return (
    <Show when={chats.hasAny} fallback={<WelcomePage />}>
      <NewChatPage />
    </Show>
  );
}

function chatId(): string | undefined {
  const now = route();
  return now.page === "chat" ? now.id : undefined;
}

function historyOf(): string | undefined {
  const now = route();
  return now.page === "history" ? now.agent : undefined;
}
