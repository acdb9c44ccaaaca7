// The frame around every page: chat list, command palette, shortcuts, tab title.
//
// A phone shows one at a time: the list on the home page, the page everywhere else.
import { createSignal, onCleanup, Show, type JSX } from "solid-js";

import { agents, connection, navigate, pathTo, route, session, settings, signOut, useChats, watchSettings } from "../../state";
import { isThere } from "../agent/abilities";
import { AgentIcon, KeyboardIcon, LeaveIcon, Logo, PlusIcon, SearchIcon, SettingsIcon, SunIcon } from "../icons";
import { baseName } from "../paths";
import { visibleText } from "../question/content/visibleText";
import { attentionGroups } from "./list/attention";
import { ChatList } from "./list/ChatList";
import { ConnectionBanner } from "./ConnectionBanner";
import { fitAboveKeyboard } from "./input/keyboard";
import { COMMAND_KEY, isCommandKey, isTyping } from "./input/keys";
import { KeysDialog } from "./input/KeysDialog";
import { Palette } from "./palette/Palette";
import type { Entry } from "./palette/paletteEntries";
import { seenUpTo } from "./list/seen";
import { onSwipe } from "./input/swipe";
import { showInTab } from "./tabSign";
import { nextTheme, setTheme, theme } from "./theme";
import { labels } from "./labels";

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
    { name: labels.newChat, note: "", icon: PlusIcon, act: () => navigate(pathTo.newChat) },
    ...chats.list.map((chat) => ({
      name: chat.title || labels.newChat,
      note: `${baseName(chat.workspace)}${chat.needs_you > 0 ? ` · ${labels.needsYou}` : ""}`,
      icon: AgentIcon,
      act: () => navigate(pathTo.chat(chat.id)),
    })),
    ...(agents() ?? []).filter(isThere).map((agent) => ({
      name: labels.newChatWith(visibleText(agent.display_name)),
      note: "",
      icon: PlusIcon,
      act: () => navigate(pathTo.newChatWith(agent.id)),
    })),
    ...(["Agents", "Assistant", "Permissions", "Skills", "Instructions", "Appearance", "Devices"] as const).map((name) => ({
      name: labels.settingsSection(name),
      note: "",
      icon: SettingsIcon,
      act: () => navigate(pathTo.settings(name.toLowerCase())),
    })),
    { name: labels.showShortcuts, note: "?", icon: KeyboardIcon, act: () => setShown("keys") },
    { name: labels.changeAppearance, note: labels.currentTheme(theme()), icon: SunIcon, act: () => setTheme(nextTheme()) },
    { name: labels.signOut, note: session.device ?? "", icon: LeaveIcon, act: () => void signOut() },
  ];

  /** Go to the next or previous chat in the list. */
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
  onCleanup(watchSettings());

  return (
    <div class="frame" data-view={route().page === "home" && chats.hasAny ? "list" : "main"}>
      <a class="skip" href="#main">
        {labels.skip}
      </a>
      <nav class="side" aria-label={labels.chats}>
        <header class="side-head">
          <a class="brand" href={pathTo.home} aria-label={labels.home}>
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
            {labels.newChat}
          </a>
          <button type="button" class="side-action" onClick={() => setShown("palette")}>
            <SearchIcon />
            {labels.search}
            <span class="side-keys" aria-hidden="true">
              <kbd>{COMMAND_KEY}</kbd> <kbd>K</kbd>
            </span>
          </button>
        </div>
        <div class="side-list">
          <ChatList chats={chats} current={current()} />
        </div>
        <footer class="side-foot">
          <a
            class="side-action"
            href={pathTo.settings()}
            aria-current={route().page === "settings" ? "page" : undefined}
          >
            <SettingsIcon />
            {labels.settings}
            <Show when={settings()?.pending}>
              <span class="chip side-waits">{labels.pendingChanges}</span>
            </Show>
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
