// The gallery's page: the scene named after `#`, drawn by the real pages.

import { Match, Switch } from "solid-js";
import { render } from "solid-js/web";

import "../src/styles/index.css";
import { Frame } from "../src/components/frame/Frame";
import ChatPage from "../src/pages/chat/ChatPage";
import HistoryPage from "../src/pages/HistoryPage";
import NewChatPage from "../src/pages/NewChatPage";
import SettingsPage from "../src/pages/SettingsPage";
import SignInPage from "../src/pages/SignInPage";
import WelcomePage from "../src/pages/WelcomePage";
import { scene } from "./scenes";
import { pourText } from "./pour";

function Gallery() {
  return (
    <Switch
      fallback={
        <Frame>
          <Switch fallback={<WelcomePage />}>
            <Match when={scene.route.page === "chat"}>
              <ChatPage id="a1" />
            </Match>
            <Match when={scene.route.page === "settings"}>
              <SettingsPage />
            </Match>
            <Match when={scene.route.page === "history"}>
              <HistoryPage agent="claude" />
            </Match>
            <Match when={scene.route.page === "new" || scene.name === "home"}>
              <NewChatPage />
            </Match>
          </Switch>
        </Frame>
      }
    >
      <Match when={scene.session.state !== "signed-in"}>
        <SignInPage />
      </Match>
    </Switch>
  );
}

render(() => <Gallery />, document.getElementById("app") as HTMLElement);
addEventListener("hashchange", () => location.reload());
if (scene.name === "stream") pourText();
