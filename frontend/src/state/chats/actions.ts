// What a person can do in a chat, other than sending messages.
//
// Lives here: one function for each action; its result is
// seen through the stream. Lives elsewhere: messages (outbox), the calls
// (api/client.ts).

import * as api from "../../api/client";
import { forget, recall, remember } from "../stored/localStore";
import { send } from "../stored/outbox";
import type { JsonObject } from "../shapes";

/** A chat to create; the server chooses what is left out. */
export interface ChatWish {
  workspace?: string;
  mode?: "llm" | "agent";
  agent?: string;
  /** The first message. */
  text?: string;
  /** A past session of the agent to continue. */
  load?: string;
}

/** Create a chat; if a first message is given, it is in the outbox with its attachments when this returns. */
export async function createChat(wish: ChatWish, attachments: readonly JsonObject[] = []): Promise<api.ChatInfo> {
  const chat = await api.postChat({
    workspace: wish.workspace || null,
    mode: wish.mode ?? null,
    agent: wish.agent ?? null,
    directories: [],
    ...(wish.load && { load: wish.load }),
    key: begunWith(wish),
  }).catch((error: unknown) => {
    // Refused: another attempt creates another chat.
    if (!(error instanceof api.ApiError) || !error.isPassing) forget(BEGUN);
    throw error;
  });
  if (wish.text || attachments.length > 0) send(chat.id, wish.text ?? "", attachments);
  forget(BEGUN);
  return chat;
}

/** The last request for a chat that has not been confirmed; forgotten with the drafts. */
const BEGUN = "draft.begun";

/** The last request for a chat, if there was no response: the server may have created that chat. */
export function unheardWish(): ChatWish | undefined {
  const words = recall(BEGUN)?.split("\n")[1];
  return words === undefined ? undefined : (JSON.parse(words) as ChatWish);
}

/** The key of a chat to create. The same request gets the same key, since the server may have created it already. */
function begunWith(wish: ChatWish): string {
  const words = JSON.stringify(wish);
  const [key, before] = recall(BEGUN)?.split("\n") ?? [];
  if (key && before === words) return key;
  const made = api.newKey();
  remember(BEGUN, `${made}\n${words}`);
  return made;
}

/** Choose one of the options of a question. If someone was faster, fails with code `already-decided`. */
export async function answer(chat: string, question: string, option: string, reason?: string): Promise<void> {
  await api.postAnswer(chat, question, { option_id: option, ...(reason && { reason }) });
}

/** Answer a form, or agree to open a page; `content` holds the form's values. */
export async function respond(
  chat: string,
  question: string,
  action: "accept" | "decline" | "cancel",
  content?: { [field: string]: unknown },
): Promise<void> {
  await api.postAnswer(chat, question, { action, ...(content && { content }) });
}

/** Type into a terminal that takes input. Nothing is stored, because it may be a password. */
export async function typeInto(chat: string, terminal: string, data: string): Promise<void> {
  const key = api.newKey();
  try {
    await api.postTyped(chat, terminal, data, key);
  } catch (error) {
    if (!(error instanceof api.ApiError) || !error.isPassing) throw error;
    await api.postTyped(chat, terminal, data, key);
  }
}

/** Choose a mode, model or other option of the agent, by the id it is listed under in `head.options`. */
export async function setOption(
  chat: string,
  option: string,
  value: string | boolean,
  session = "main",
): Promise<void> {
  await api.postOption(chat, option, value, session);
}

/** Stop the running turn; if an id is given, only that turn. */
export async function cancel(chat: string, turn?: string): Promise<void> {
  await api.postCancel(chat, turn);
}

export async function editQueued(chat: string, message: string, text: string): Promise<void> {
  await api.patchQueued(chat, message, text);
}

export async function removeQueued(chat: string, message: string): Promise<void> {
  await api.deleteQueued(chat, message);
}

export async function renameChat(chat: string, title: string): Promise<void> {
  await api.patchChat(chat, { title });
}

/** Who answers from the next message on: the assistant, or the agent. */
export async function setMode(chat: string, mode: "llm" | "agent", agent?: string): Promise<void> {
  await api.patchChat(chat, { mode, ...(agent && { agent }) });
}

/** The assistant's model in this chat; empty for the one in the settings. */
export async function setModel(chat: string, model: string): Promise<void> {
  await api.patchChat(chat, { model });
}

/** All of the assistant's tools that are switched off in this chat. */
export async function setTools(chat: string, off: readonly string[]): Promise<void> {
  await api.patchChat(chat, { tools_off: [...off] });
}

/** Change or leave out what the next message takes along for the one who answers it. */
export async function setHandover(chat: string, change: { text?: string; left_out?: boolean }): Promise<void> {
  await api.patchHandover(chat, change);
}

/** Whether the agent asks before it acts, or is approved automatically; takes effect immediately. */
export async function setPolicy(chat: string, permissions: "ask" | "auto"): Promise<void> {
  await api.patchChat(chat, { permissions });
}

/** Restart the agent, with its session or a new one. */
export async function restartAgent(chat: string, reload: boolean): Promise<void> {
  await api.postRestart(chat, reload);
}

/** Delete a chat permanently and stop its agents. */
export async function deleteChat(chat: string): Promise<void> {
  await api.deleteChat(chat);
}
