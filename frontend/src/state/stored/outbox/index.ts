// Messages that are sent but not yet in their chat.
//
// Lives here: what the rest of the page does with them. Lives elsewhere: keeping them (storing.ts), sending them
// (delivering.ts), finding them in the chat (matching.ts), unsent text (../drafts.ts).

import { newKey } from "../../../api/client";
import type { JsonObject } from "../../shapes";
import { draft } from "../drafts";
import { disown, idsOf } from "../files";
import { OTHERS_MS, deliver } from "./delivering";
import { isInChat, messageIds } from "./matching";
import type { Outgoing } from "./message";
import * as storing from "./storing";

export type { Outgoing };

/** Send a message: it is stored at once, and sent when the server can be reached. */
export function send(chat: string, text: string, attachments: readonly JsonObject[] = []): Outgoing {
  const files = idsOf(attachments);
  const bare = { key: newKey(), chat, text, at: storing.nextMoment(), ...(files.length > 0 && { files }) };
  const message = storing.add(bare, attachments, messageIds(chat));
  void deliver(chat);
  return { ...message, state: "sending" };
}

/** Send a chat's draft with its attachments; files that this tab could not read stay in the draft. */
export function sendDraft(chat: string, text: string): void {
  const { attachments, set, detach } = draft(chat);
  send(chat, text, attachments);
  set("");
  detach(attachments);
}

/** Messages of a chat that are not in it yet, oldest first; reactive. */
export function outbox(chat: string): readonly Outgoing[] {
  return storing.shown().filter((message) => message.chat === chat);
}

/** Send a refused message again. */
export function retrySend(key: string): void {
  const message = storing.message(key);
  if (message === undefined) return;
  if (message.lostId !== undefined) storing.keep(message);
  storing.change(key, { state: "sending" });
  void deliver(message.chat);
}

/** Do not send it after all: its text and attachments go back into the chat's draft. */
export function discardSend(key: string): void {
  const message = storing.message(key);
  if (message === undefined) return;
  const { attachments, files = [] } = message;
  const kept = draft(message.chat);
  // This tab has not read all of its files: let the draft read those that are left.
  if (attachments === undefined && files.length > 0 && !kept.adopt(files)) return;
  kept.set([message.text, kept.text].filter(Boolean).join("\n"));
  if (attachments) {
    // Its files have not been stored since they left the draft.
    if (storing.delivery(key)?.isUnstored) disown(attachments);
    void kept.attach(attachments);
  }
  storing.drop(key);
}

/** Send everything that waits; called at start and when the server can be reached again. */
export function deliverAll(): void {
  for (const chat of addressed()) void deliver(chat);
}

/**
 * Drop the messages that the chat shows now. After the server was restored to an earlier state (`wentBack`), those it had
 * accepted and no longer shows are offered for sending again.
 */
export function noticeArrivals(chat: string, wentBack = false): void {
  const messages = storing.messagesTo(chat);
  if (messages.length > 0) storing.show();
  for (const message of messages) {
    const accepted = storing.delivery(message.key)?.messageId;
    const id = accepted ?? message.lostId;
    if (id !== undefined && isInChat(chat, id)) storing.drop(message.key);
    else if (wentBack && accepted !== undefined) storing.markLost(message, accepted);
  }
}

/** The chats that have messages in the outbox. */
export function addressed(): string[] {
  storing.load();
  return [...new Set(storing.allMessages().map((message) => message.chat))];
}

/** Forget all messages, or those of one chat. */
export function forgetOutbox(chat?: string): void {
  storing.load();
  for (const message of storing.allMessages()) if (chat === undefined || message.chat === chat) storing.drop(message.key);
}

storing.onStoredElsewhere((key) => {
  if (storing.isStored(key)) {
    storing.load();
    setTimeout(deliverAll, OTHERS_MS);
  } else if (storing.delivery(key)?.messageId === undefined) {
    // Another tab has sent or withdrawn it.
    storing.drop(key);
  }
});
