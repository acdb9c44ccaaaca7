// A fake of the state module. The scene decides what it contains.

import { createSignal } from "solid-js";
import { createStore, type SetStoreFunction } from "solid-js/store";

import { scene } from "./scenes";
import type { ChatHandle, ChatState, Connection, Outgoing, Session } from "../src/state";

export type * from "../src/state/shapes";
export { ApiError } from "../src/api/client";
export { draft, forgetForm, formDraft } from "../src/state/stored/drafts";
export { forget, recall, remember } from "../src/state/stored/localStore";
export { pathTo } from "../src/state/route";

const [state, setState] = createStore<ChatState>(scene.chat);
export const setChat: SetStoreFunction<ChatState> = setState;

const [hasOlder, setHasOlder] = createSignal(scene.older.length > 0);

export function useChat(): ChatHandle {
  return {
    id: state.id,
    get state() {
      return scene.phase === "ready" ? state : undefined;
    },
    phase: scene.phase,
    get hasOlder() {
      return hasOlder();
    },
    isLoadingOlder: false,
    async loadOlder() {
      if (!hasOlder()) return;
      await new Promise((done) => setTimeout(done, 50));
      setState("blocks", (blocks) => [...scene.older.splice(-50), ...blocks]);
      setHasOlder(scene.older.length > 0);
    },
  };
}

export const assistant = () => scene.assistant;
export const refreshAssistant = async () => undefined;
export const listModels = async () => ["gpt-5.4", "gpt-5.4-mini"];
export const checkAssistant = async () => ({ ok: true, message: "Connected.", hint: "" });
export const useChats = () => scene.chats;
export const connection: Connection = scene.connection;
export const session: Session = scene.session;
export const agents = () => scene.agents;
export const route = () => scene.route;
export const outbox = (): readonly Outgoing[] => scene.outbox;

const nothing = async () => undefined;
export const navigate = () => undefined;
export const checkConnection = () => undefined;
export const refreshAgents = nothing;
export const answer = (_chat: string, question: string) => {
  setState("head", "questions", (ids) => ids.filter((id) => id !== question));
  return nothing();
};
export const cancel = nothing;
export const createChat = nothing;
export const deleteChat = nothing;
export const editQueued = nothing;
export const removeQueued = nothing;
export const renameChat = nothing;
export const respond = nothing;
export const restartAgent = () => new Promise((done) => setTimeout(done, 800));
export const setPolicy = async (_chat: string, policy: string) => setState("head", "policy", policy);
export const changeAgent = nothing;
export const removeAgent = nothing;
export const refreshSettings = nothing;
export const changeSettings = nothing;
export const decidePending = nothing;
export const watchSettings = () => () => undefined;
export const defaultAgent = () => "claude";
export const defaultMode = () => "agent" as const;
export const settingsProblem = () => undefined;
export const settings = () => scene.settings;
export const listDevices = async () => scene.devices;
export const listDecisions = async () => scene.decisions;
export const readDiagnostics = async () => scene.diagnostics;
export const readFrames = async () => scene.frames;
export const readReport = async () => scene.report;
export const revokeDevice = nothing;
export const confirmDevice = nothing;
export const newLink = async () => ({ code: "x", url: "http://192.168.1.20:8460/#code=Qm9uam91ci1sZS1tb25kZS1jb2Rl", expires_in: 600 });
export const pastSessions = async () => {
  if (scene.name === "history-refused") throw Object.assign(new Error("This agent cannot list its sessions."), { hint: "" });
  return { sessions: scene.name === "history-none" ? [] : scene.sessions, next: "more" };
};
export const checkAgent = async (_id: string, onStep: (step: unknown) => void) => {
  scene.steps.forEach(onStep);
  return { ok: false, seconds: 2.4 };
};
export const setMode = async (_chat: string, mode: "llm" | "agent") => setState("head", "mode", mode);
export const setOption = nothing;
export const setModel = nothing;
export const setTools = nothing;
export const setHandover = nothing;
export const typeInto = nothing;
export const send = nothing;
export const retrySend = () => undefined;
export const discardSend = () => undefined;
export const signIn = nothing;
export const signOut = nothing;
export const wholeEvent = nothing;
export const findChats = nothing;
export const loadMore = nothing;
export const sendDraft = nothing;
export const unheardWish = () => undefined;
export const distrust = nothing;
export const trustedFolders = async () => [{ path: "/home/ada/shop", at: scene.decisions[0]?.at ?? 0 }];
export const forgetSession = nothing;
export const forkSession = async () => "forked";
export const sandboxProblem = () => undefined;
export { fetchSkills, knownSkills, noticeSkills, readContext, readSkill, searchFiles, setAlways, skillsRevision, suggestSkills } from "./context";
