// The one door for components: everything they read and everything they can do.
//
// Reading is reactive: properties such as `connection.state`, `chat.phase` or
// `chats.list` are getters on signals and stores, so read them inside JSX or an
// effect and never take them apart. Doing returns a promise; one that fails
// throws an `ApiError` with `message` and `hint` made for people.
//
//   const chat = useChat(() => props.id);      // also keeps it live while mounted
//   <Show when={chat.state} fallback={<Skeleton />}>
//     {(state) => <For each={state().blocks}>{(block) => …}</For>}
//   </Show>

export type * from "./shapes";
export type {
  AgentChange,
  AgentInfo,
  AssistantInfo,
  AssistantTrial,
  AssistantWish,
  ChatInfo,
  CheckDone,
  CheckStep,
  Decision,
  DeviceInfo,
  NewChat,
  NewLink,
  PastSession,
  PastSessions,
  TrustedFolder,
  SettingsInfo,
} from "../api/client";
export { ApiError } from "../api/client";

/** One chat, followed for as long as the calling component lives. See `ChatHandle`. */
export { useChat, wholeEvent, type ChatHandle } from "./chat";

/** The list of chats, newest first, and how many need you. See `ChatList`. */
export { useChats, type ChatList } from "./chats";

/** `connection.state`: live | reconnecting | offline. `connection.newVersion`: set when a reload is due. */
export { connection, checkConnection, type Connection, type ConnectionState } from "./connection";

/** What a person can do in a chat. */
export {
  answer,
  cancel,
  createChat,
  unheardWish,
  deleteChat,
  editQueued,
  removeQueued,
  renameChat,
  respond,
  restartAgent,
  setMode,
  setOption,
  typeInto,
  setPolicy,
  type ChatWish,
} from "./actions";

/** Messages on their way: `send` stores first, so nothing typed is lost. `outbox(chat)` is what is not there yet. */
export { send, sendDraft, outbox, retrySend, discardSend, type Outgoing } from "./outbox";

/** What was typed or attached and not sent, by chat; `"new"` is the draft of the new-chat page. See `Draft`. */
export { draft, forgetForm, formDraft, type Draft } from "./drafts";

/** What else this browser remembers between visits, by name; for small choices such as the theme. */
export { forget, recall, remember } from "./keep";

/** The agents of this machine; undefined until known. Call `refreshAgents` to look again. */
export { agents, changeAgent, defaultAgent, refreshAgents, removeAgent, settingsProblem } from "./agents";

/** Try an agent step by step; its own sessions; the log of decisions; devices and links for new ones. */
export { checkAgent, listDecisions, listDevices, newLink, revokeDevice } from "../api/client";
export { forgetSession, forkSession, pastSessions } from "../api/client";

/** Folders that were trusted on a card, and taking that back. */
export { distrust, trustedFolders } from "../api/client";

/** The settings of the server; undefined until known. */
export { changeSettings, refreshSettings, settings } from "./settings";

/** The model that answers in llm mode; undefined until known. */
export { assistant, checkAssistant, listModels, refreshAssistant } from "./assistant";

/** Who this browser is signed in as, and signing in and out. */
export { session, signIn, signOut, type Session } from "./session";

/** Where we are, and going elsewhere without loading the page again. */
export { navigate, route, pathTo, type Route } from "./route";
