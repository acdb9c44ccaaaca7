// The frame around every page: the list of chats at its side, the palette, the keys, the tab's sign.
//
// On a phone one of the two is seen: the list at home, the page everywhere else.
import { createSignal, onCleanup, Show, type JSX } from "solid-js";

import { agents, connection, navigate, pathTo, route, session, signOut, useChats } from "../../state";
import { isThere } from "../agent/abilities";
import { AgentIcon, KeyboardIcon, LeaveIcon, Logo, PlusIcon, SearchIcon, SettingsIcon, SunIcon } from "../icons";
import { baseName } from "../paths";
import { visibleText } from "../question/visibleText";
import { attentionGroups } from "./attention";
import { ChatList } from "./ChatList";
import { ConnectionBanner } from "./ConnectionBanner";
import { fitAboveKeyboard } from "./keyboard";
import { COMMAND_KEY, isCommandKey, isTyping } from "./keys";
import { KeysDialog } from "./KeysDialog";
import { Palette } from "./Palette";
import type { Entry } from "./paletteEntries";
import { seenUpTo } from "./seen";
import { SharedName } from "./SharedName";
import { onSwipe } from "./swipe";
import { showInTab } from "./tabSign";
import { nextTheme, setTheme, theme } from "./theme";

export function Frame(props: { children: JSX.Element }): JSX.Element {
  const chats = useChats();
  const [shown, setShown] = createSignal<"palette" | "keys">();
  const current = () => {
    const now = route();
    return now.page === "chat" ? now.id : undefined;
  };
  const title = () => chats.list.find((chat) => chat.id === current())?.title || "VoxPilot";
  showInTab(() => chats.needsYou, title);
  fitAboveKeyboard();

  const entries = (): Entry[] => [
    { name: "New chat", note: "", icon: PlusIcon, act: () => navigate(pathTo.newChat) },
    ...chats.list.map((chat) => ({
      name: chat.title || "New chat",
      note: `${baseName(chat.workspace)}${chat.needs_you > 0 ? " · needs you" : ""}`,
      icon: AgentIcon,
      act: () => navigate(pathTo.chat(chat.id)),
    })),
    ...(agents() ?? []).filter(isThere).map((agent) => ({
      name: `New chat with ${visibleText(agent.display_name)}`,
      note: "",
      icon: PlusIcon,
      act: () => navigate(pathTo.newChatWith(agent.id)),
    })),
    ...(["Agents", "Assistant", "Permissions", "Appearance", "Devices"] as const).map((name) => ({
      name: `Settings: ${name}`,
      note: "",
      icon: SettingsIcon,
      act: () => navigate(pathTo.settings(name.toLowerCase())),
    })),
    { name: "Show all keys", note: "?", icon: KeyboardIcon, act: () => setShown("keys") },
    { name: "Change appearance", note: `now ${theme()}`, icon: SunIcon, act: () => setTheme(nextTheme()) },
    { name: "Sign out", note: session.device ?? "", icon: LeaveIcon, act: () => void signOut() },
  ];

  /** From chat to chat, in the order of the list. */
  function swipe(step: 1 | -1) {
    const order = attentionGroups(chats.list, seenUpTo).flatMap((group) => group.chats);
    const at = order.findIndex((chat) => chat.id === current());
    const next = at < 0 ? undefined : order[at + step];
    if (next) navigate(pathTo.chat(next.id));
  }
  function onKey(event: KeyboardEvent) {
    if (isCommandKey(event) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      setShown(shown() === "palette" ? undefined : "palette");
    } else if (event.key === "?" && !isTyping(event) && !document.querySelector("dialog[open]")) {
      setShown("keys");
    }
  }
  document.addEventListener("keydown", onKey);
  onCleanup(() => document.removeEventListener("keydown", onKey));

  return (
    <div class="frame" data-view={route().page === "home" && chats.hasAny ? "list" : "main"}>
      <a class="skip" href="#main">
        To the content
      </a>
      <nav class="side" aria-label="Chats">
        <header class="side-head">
          <a class="brand" href={pathTo.home} aria-label="VoxPilot, home">
            <Logo />
            <span>VoxPilot</span>
          </a>
          <Show when={connection.state !== "live"}>
            <span class="chip">{connection.state === "offline" ? "offline" : "connecting"}</span>
          </Show>
        </header>
        <div class="side-actions">
          <a class="side-action side-new" href={pathTo.newChat}>
            <PlusIcon />
            New chat
          </a>
          <button type="button" class="side-action" onClick={() => setShown("palette")}>
            <SearchIcon />
            Search
            <span class="side-keys" aria-hidden="true">
              <kbd>{COMMAND_KEY}</kbd> <kbd>K</kbd>
            </span>
          </button>
        </div>
        <div class="side-list">
          <ChatList chats={chats} current={current()} />
        </div>
        <SharedName />
        <footer class="side-foot">
          <a
            class="side-action"
            href={pathTo.settings()}
            aria-current={route().page === "settings" ? "page" : undefined}
          >
            <SettingsIcon />
            Settings
          </a>
        </footer>
      </nav>
      <main class="main" id="main" tabindex="-1" ref={(main) => onSwipe(main, swipe)}>
        <ConnectionBanner />
        {props.children}
      </main>
      <Palette isOpen={shown() === "palette"} entries={entries()} onClose={() => setShown(undefined)} />
      <KeysDialog isOpen={shown() === "keys"} onClose={() => setShown(undefined)} />
    </div>
  );
}
