// The public interface of the state: everything components read and everything they can do.
//
// Reading is reactive: properties such as `connection.state`, `chat.phase` or
// `chats.list` are getters on signals and stores, so read them inside JSX or an
// effect and never destructure them. Actions return a promise; one that fails
// throws an `ApiError` with `message` and `hint`, ready to show.
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
export { ApiError, wholeEvent } from "../api/client";
export type { ContextInEffect, FoundFiles, Skill, SkillList, SkillText, SuggestedSkill } from "../api/context";

/** One chat, followed while the calling component is mounted. See `ChatHandle`. */
export { useChat, type ChatHandle } from "./chats/chat";

/** The list of chats, newest first, and how many need you. See `ChatList`. */
export { findChats, loadMore, useChats, type ChatList } from "./chats/chats";

/** `connection.state`: live | reconnecting | offline. `connection.newVersion`: set when a reload is due. */
export { connection, checkConnection, type Connection, type ConnectionState } from "./server/connection";

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
  setHandover,
  setMode,
  setModel,
  setOption,
  setTools,
  typeInto,
  setPolicy,
  type ChatWish,
} from "./chats/actions";

/** Sent messages: `send` stores first, so nothing typed is lost. `outbox(chat)` lists those not in the chat yet. */
export { send, sendDraft, outbox, retrySend, discardSend, type Outgoing } from "./stored/outbox";

/** Unsent text and attachments by chat; `"new"` is the draft of the new-chat page. See `Draft`. */
export { draft, forgetForm, formDraft, type Draft } from "./stored/drafts";

/** Small values stored in the browser by name, such as the theme. */
export { forget, recall, remember } from "./stored/localStore";

/** The agents of this machine; undefined until known. Call `refreshAgents` to look again. */
export { agents, changeAgent, defaultAgent, defaultMode, refreshAgents, removeAgent, sandboxProblem, settingsProblem } from "./server/agents";

/** Testing an agent; its past sessions; the decision log; devices and sign-in links. */
export { checkAgent, confirmDevice, listDecisions, listDevices, newLink, revokeDevice } from "../api/client";
export { forgetSession, forkSession, pastSessions } from "../api/client";
/** Diagnostics of a chat's agents. */
export { readDiagnostics, readFrames, readReport, type AgentProcess, type AgentProcesses, type FrameInfo } from "../api/client";

/** Folders trusted in answer to a question, and revoking that. */
export { distrust, trustedFolders } from "../api/client";

/** The settings of the server; undefined until known. */
export { changeSettings, decidePending, refreshSettings, settings, watchSettings } from "./server/settings";

/** The model that answers in llm mode; undefined until known. */
export { assistant, checkAssistant, listModels, refreshAssistant } from "./server/assistant";

/** Files of a workspace, skills, and what goes along with a chat's next message. */
export { readContext, readSkill, searchFiles, suggestSkills } from "../api/context";
export { fetchSkills, knownSkills, noticeSkills, setAlways, skillsRevision } from "./server/skills";

/** Who this browser is signed in as, and signing in and out. */
export { session, signIn, signOut, type Session } from "./server/session";

/** The current route, and navigation without reloading the page. */
export { navigate, route, pathTo, type Route } from "./route";
