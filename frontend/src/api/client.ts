// Calls to the server.
//
// Lives here: one function for each route the page uses, and one shape for
// everything that can go wrong. Lives elsewhere: the shapes (schema.ts, made
// from the OpenAPI document), the stream of events (worker/).

import createClient from "openapi-fetch";

import { SseReader } from "../worker/stream/sse";
import type { Block } from "../state/shapes";
import type { EventKind, Events } from "./events";
import { key, withKey } from "./key";
import type { components, paths } from "./schema";

type Schemas = components["schemas"];
export type AgentProcess = Schemas["AgentProcess"];
export type AgentProcesses = Schemas["AgentProcesses"];
export type FrameInfo = Schemas["FrameInfo"];
export type AgentChange = Schemas["AgentChange"];
export type AgentInfo = Schemas["AgentInfo"];
export type AgentList = Schemas["AgentList"];
export type AssistantInfo = Schemas["AssistantInfo"];
export type AssistantTrial = Schemas["AssistantTrial"];
export type AssistantWish = Schemas["AssistantWish"];
export type ChatInfo = Schemas["ChatInfo"];
export type CheckDone = Schemas["CheckDone"];
export type CheckStep = Schemas["CheckStep"];
export type Decision = Schemas["Decision"];
export type DeviceInfo = Schemas["DeviceInfo"];
export type Me = Schemas["Me"];
export type MessageTaken = Schemas["MessageTaken"];
export type NewChat = Schemas["NewChat"];
export type NewLink = Schemas["NewLink"];
export type PastSession = Schemas["PastSessionInfo"];
export type PastSessions = Schemas["PastSessions"];
export type SignedIn = Schemas["SignedIn"];
export type SettingsInfo = Schemas["SettingsInfo"];
export type TrustedFolder = Schemas["TrustedFolderInfo"];

/** A call that failed: `message` says what happened, `hint` what to do next. */
export class ApiError extends Error {
  constructor(
    /** 0 if there was no response. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string,
  ) {
    super(message);
    this.name = "ApiError";
  }

  /** The same call may work later: the server did not reject its content. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/** A unique key for a request. Works without a secure context, where randomUUID does not exist. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Called with the server's message whenever it says that this browser is not signed in. */
let tellSignedOut: (why: ApiError) => void = () => undefined;
export function onSignedOut(tell: (why: ApiError) => void): void {
  tellSignedOut = tell;
}

/** A request can hang forever on a connection that died while the machine slept. */
const PATIENCE_MS = 15_000;
/** Characters per millisecond: a slower request is tried again. */
const SLOWEST_LINK = 30;
/** The agent has to be started first, which can be slow. */
const AGENT_PATIENCE_MS = 120_000;

export const http = createClient<paths>({ baseUrl: location.origin, fetch: within(PATIENCE_MS) });
http.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(withKey())) request.headers.set(name, value);
  },
});

function within(milliseconds: number): (request: Request) => Promise<Response> {
  return (request) => fetch(request, { signal: AbortSignal.timeout(Math.round(milliseconds)) });
}

/** The model has to respond first, which can be slow. */
const MODEL_PATIENCE_MS = 60_000;
function patiently(request: Request): Promise<Response> {
  return fetch(request, { signal: AbortSignal.timeout(MODEL_PATIENCE_MS) });
}

export async function whoAmI(): Promise<Me> {
  return taken(http.GET("/api/me"));
}

export async function login(code: string, device: string): Promise<SignedIn> {
  return taken(http.POST("/api/login", { body: { code, device } }), { isSigningIn: true });
}

export async function logout(): Promise<void> {
  await taken(http.POST("/api/logout"));
}

export async function listDevices(): Promise<DeviceInfo[]> {
  return taken(http.GET("/api/devices"));
}

export async function revokeDevice(id: string): Promise<void> {
  await taken(http.DELETE("/api/devices/{device_id}", { params: { path: { device_id: id } } }));
}

/** Confirm a browser that signed in with a link created outside the page. */
export async function confirmDevice(id: string): Promise<void> {
  await taken(http.POST("/api/devices/{device_id}/confirm", { params: { path: { device_id: id } } }));
}

export async function newLink(): Promise<NewLink> {
  return taken(http.POST("/api/links"));
}

export async function listAgents(): Promise<AgentList> {
  return taken(http.GET("/api/agents"));
}

export async function putAgent(id: string, change: AgentChange): Promise<AgentInfo> {
  return taken(http.PUT("/api/agents/{agent_id}", { params: { path: { agent_id: id } }, body: change }));
}

export async function deleteAgent(id: string): Promise<void> {
  await taken(http.DELETE("/api/agents/{agent_id}", { params: { path: { agent_id: id } } }));
}

/** Test an agent; calls back after each step. */
export async function checkAgent(id: string, onStep: (step: CheckStep) => void, signal: AbortSignal): Promise<CheckDone> {
  const path = `/api/agents/${encodeURIComponent(id)}/check`;
  const response = await fetch(path, { method: "POST", signal, headers: withKey() }).catch((error: unknown) => unreachable(error));
  if (!response.ok || !response.body) throw refusal(response.status, await response.json().catch(() => undefined));
  const sse = new SseReader();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new ApiError(0, "cut-off", "The test was interrupted.", "Try again.");
    for (const event of sse.take(value)) {
      if (event.kind === "step") onStep(event.data as CheckStep);
      if (event.kind === "done") return event.data as CheckDone;
    }
  }
}

/** One page of an agent's own sessions, of one folder if given. */
export async function pastSessions(agent: string, workspace: string, cursor?: string): Promise<PastSessions> {
  const query = { ...(workspace && { workspace }), ...(cursor && { cursor }) };
  const params = { path: { agent_id: agent }, query };
  return taken(http.GET("/api/agents/{agent_id}/sessions", { params, fetch: within(AGENT_PATIENCE_MS) }));
}

/** Fork one of an agent's own sessions; returns the id of the copy. */
export async function forkSession(agent: string, session: string, workspace: string): Promise<string> {
  const params = { path: { agent_id: agent, session_id: session } };
  const call = http.POST("/api/agents/{agent_id}/sessions/{session_id}/fork", {
    params,
    body: { workspace },
    fetch: within(AGENT_PATIENCE_MS),
  });
  return (await taken(call)).session_id;
}

/** Have an agent delete one of its own sessions permanently. */
export async function forgetSession(agent: string, session: string): Promise<void> {
  const params = { path: { agent_id: agent, session_id: session } };
  const fetch = within(AGENT_PATIENCE_MS);
  await taken(http.DELETE("/api/agents/{agent_id}/sessions/{session_id}", { params, fetch }));
}

/** The agent processes of a chat, with error output, CPU and memory. */
export async function readDiagnostics(chat: string): Promise<AgentProcesses> {
  return taken(http.GET("/api/chats/{chat_id}/diagnostics", { params: { path: { chat_id: chat } } }));
}

/** The newest entries of the protocol log of one agent process. */
export async function readFrames(chat: string, process: string, limit: number): Promise<Schemas["Frames"]> {
  const params = { path: { chat_id: chat, process_id: process }, query: { limit } };
  return taken(http.GET("/api/chats/{chat_id}/diagnostics/{process_id}/frames", { params }));
}

/** A report without texts and secrets, for the person to read. */
export async function readReport(chat: string): Promise<string> {
  return (await taken(http.GET("/api/chats/{chat_id}/diagnostics/report", { params: { path: { chat_id: chat } } }))).text;
}

/** Folders trusted in answer to a question. */
export async function trustedFolders(): Promise<TrustedFolder[]> {
  return (await taken(http.GET("/api/trusted-folders"))).folders;
}

export async function distrust(path: string): Promise<void> {
  await taken(http.DELETE("/api/trusted-folders", { params: { query: { path } } }));
}

export async function readSettings(): Promise<SettingsInfo> {
  return taken(http.GET("/api/settings"));
}

/** By their names in the settings file; null resets to the default. */
export async function putSettings(values: { [name: string]: unknown }): Promise<SettingsInfo> {
  return taken(http.PUT("/api/settings", { body: values }));
}

/** Accept changes made to the settings file outside the page, or restore the settings in effect. */
export async function postPending(fingerprint: string, accept: boolean): Promise<SettingsInfo> {
  return taken(http.POST("/api/settings/pending", { body: { fingerprint, accept } }));
}

export async function listDecisions(before: string | undefined, limit: number): Promise<Decision[]> {
  const query = { limit, ...(before && { before }) };
  return (await taken(http.GET("/api/decisions", { params: { query } }))).decisions;
}

export async function readAssistant(): Promise<AssistantInfo> {
  return taken(http.GET("/api/assistant"));
}

/** The models a provider offers; omitted fields are taken from the settings. */
export async function listModels(wish: AssistantWish): Promise<string[]> {
  return (await taken(http.POST("/api/assistant/models", { body: wish, fetch: patiently }))).models;
}

/** Send a small request to a model to test it. */
export async function checkAssistant(wish: AssistantWish): Promise<AssistantTrial> {
  return taken(http.POST("/api/assistant/check", { body: wish, fetch: patiently }));
}

export async function postChat(body: NewChat): Promise<ChatInfo> {
  return taken(http.POST("/api/chats", { body }));
}

/** One page of the list of chats, newest first. */
export async function listChats(query: { before?: string; search?: string }): Promise<Schemas["ChatList"]> {
  return taken(http.GET("/api/chats", { params: { query } }));
}

export async function readChat(id: string): Promise<ChatInfo> {
  return taken(http.GET("/api/chats/{chat_id}", { params: at(id) }));
}

export async function patchChat(id: string, change: Schemas["ChatChange"]): Promise<ChatInfo> {
  return taken(http.PATCH("/api/chats/{chat_id}", { params: at(id), body: change }));
}

export async function patchHandover(id: string, change: Schemas["HandoverChange"]): Promise<ChatInfo> {
  return taken(http.PATCH("/api/chats/{chat_id}/handover", { params: at(id), body: change }));
}

export async function deleteChat(id: string): Promise<void> {
  await taken(http.DELETE("/api/chats/{chat_id}", { params: at(id) }));
}

export async function postMessage(
  id: string,
  text: string,
  key: string,
  attachments: readonly object[] = [],
): Promise<MessageTaken> {
  const body = { text, key, attachments: [...attachments] as never[] };
  const words = JSON.stringify(body);
  const limited = within(PATIENCE_MS + words.length / SLOWEST_LINK);
  return taken(http.POST("/api/chats/{chat_id}/messages", { params: at(id), body, bodySerializer: () => words, fetch: limited }));
}

export async function patchQueued(id: string, message: string, text: string): Promise<void> {
  const params = { path: { chat_id: id, message_id: message } };
  await taken(http.PATCH("/api/chats/{chat_id}/queue/{message_id}", { params, body: { text, key: newKey() } }));
}

export async function deleteQueued(id: string, message: string): Promise<void> {
  const params = { path: { chat_id: id, message_id: message } };
  await taken(http.DELETE("/api/chats/{chat_id}/queue/{message_id}", { params }));
}

export async function postCancel(id: string, turn?: string): Promise<void> {
  const body = { turn: turn ?? null, key: newKey() };
  await taken(http.POST("/api/chats/{chat_id}/cancel", { params: at(id), body }));
}

export async function postRestart(id: string, reload: boolean): Promise<void> {
  await taken(http.POST("/api/chats/{chat_id}/restart", { params: at(id), body: { reload, key: newKey() } }));
}

/** `option_id` for a permission; `action`, and `content` with it, for a form or a link. */
export type AnswerGiven = Omit<Schemas["AnswerGiven"], "key">;

export async function postAnswer(id: string, question: string, answer: AnswerGiven): Promise<void> {
  const params = { path: { chat_id: id, question_id: question } };
  const body = { ...answer, key: newKey() };
  await taken(http.POST("/api/chats/{chat_id}/questions/{question_id}", { params, body }));
}

/** Type into a terminal; a repeated key types nothing again. */
export async function postTyped(id: string, terminal: string, data: string, key: string): Promise<void> {
  const params = { path: { chat_id: id, terminal_id: terminal } };
  await taken(http.POST("/api/chats/{chat_id}/terminals/{terminal_id}", { params, body: { data, key } }));
}

export async function postOption(id: string, option: string, value: string | boolean, session: string): Promise<void> {
  const body = { id: option, value, session_name: session, key: newKey() };
  await taken(http.POST("/api/chats/{chat_id}/options", { params: at(id), body }));
}

export async function olderBlocks(id: string, before: number, limit: number): Promise<Block[]> {
  const params = { ...at(id), query: { before, limit } };
  return (await taken(http.GET("/api/chats/{chat_id}/blocks", { params }))).blocks as Block[];
}

/** The whole of an event that was sent as a preview; the caller knows its kind. */
export async function wholeEvent<K extends EventKind>(id: string, seq: number): Promise<Events[K]> {
  const params = { path: { chat_id: id, seq } };
  return (await taken(http.GET("/api/chats/{chat_id}/events/{seq}", { params }))) as Events[K];
}

function at(chat: string): { path: { chat_id: string } } {
  return { path: { chat_id: chat } };
}

type Reply<T> = { data?: T; error?: unknown; response: Response };

/** The body of a successful response; anything else becomes an ApiError. */
export async function taken<T>(call: Promise<Reply<T>>, how: { isSigningIn?: boolean } = {}): Promise<T> {
  const sentWith = key();
  const reply = await call.catch((error: unknown) => unreachable(error));
  if (reply.response.ok) return reply.data as T;
  const why = refusal(reply.response.status, reply.error);
  // A late refusal of a request that was sent before the last sign-in says nothing about this sign-in.
  if (why.status === 401 && !how.isSigningIn && key() === sentWith) tellSignedOut(why);
  throw why;
}

function unreachable(error: unknown): never {
  if (error instanceof SyntaxError) {
    throw new ApiError(502, "not-json", "Could not read the server’s response.", "A proxy may have answered instead of the server.");
  }
  throw new ApiError(0, "no-answer", "The server is not responding.", "Check that it is running and that you are online.");
}

export function refusal(status: number, body: unknown): ApiError {
  const said = isObject(body) && isObject(body["error"]) ? body["error"] : {};
  return new ApiError(
    status,
    text(said["code"]) || "refused",
    text(said["message"]) || `The server responded with status ${status}.`,
    text(said["hint"]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
