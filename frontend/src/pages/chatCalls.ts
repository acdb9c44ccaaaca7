// Answers to forms and links, and the agent's options: calls that have no place in state/ yet.

import { newKey, refusal } from "../api/client";
import type { Json } from "../state";
import type { Content } from "../components/question/schema";

/** Answer a form, or agree to open a page. */
export function respond(
  chat: string,
  question: string,
  action: "accept" | "decline" | "cancel",
  content?: Content,
): Promise<void> {
  return post(`/api/chats/${chat}/questions/${question}`, { action, ...(content && { content }) });
}

/** Choose a mode, model or other option of the agent. */
export function setOption(chat: string, option: string, value: Json): Promise<void> {
  return post(`/api/chats/${chat}/options`, { option_id: option, value });
}

async function post(path: string, body: object): Promise<void> {
  const reply = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...body, key: newKey() }),
  });
  if (!reply.ok) throw refusal(reply.status, await reply.json().catch(() => null));
}
