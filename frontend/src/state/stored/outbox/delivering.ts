// Sending the messages of the outbox.
//
// Lives here: one message after another, in order, tried again while the server cannot be reached. The key makes it
// exactly one message, even if it is sent several times or from several tabs. Lives elsewhere: the messages (storing.ts).

import * as api from "../../../api/client";
import { held } from "../../chats/chat";
import { isInChat } from "./matching";
import { oldestFirst, type Stored } from "./message";
import { NAME, change, delivery, drop, filesOf, forgetStored, isStored, messagesTo } from "./storing";

const FILES_LOST = "The attachments can no longer be read.";
const FILES_LOST_HINT = "Edit the message and attach the files again.";
const RETRY_MS = 3_000;
/** How long another tab has to send the message it stored. */
export const OTHERS_MS = 10_000;
/** The same for a message with files. */
const LARGE_MS = 900_000;
const delivering = new Set<string>();

/** Send the messages to a chat one after another, so that they arrive in order. */
export async function deliver(chat: string): Promise<void> {
  if (delivering.has(chat)) return;
  delivering.add(chat);
  try {
    for (let next = nextOf(chat); next !== undefined; next = nextOf(chat)) {
      const message = next;
      if (!(await alone(message, () => post(message)))) break;
    }
  } finally {
    delivering.delete(chat);
  }
}

/**
 * Run while no other tab sends the same message. Over plain HTTP there are no locks, and a lock may also be held for too
 * long: then two tabs may send the same message, and the server accepts it once.
 */
async function alone<T>({ key, files }: Stored, act: () => Promise<T>): Promise<T> {
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) return act();
  let isBegun = false;
  const begin = () => {
    isBegun = true;
    return act();
  };
  const signal = AbortSignal.timeout(files ? LARGE_MS : OTHERS_MS);
  return locks.request(`voxpilot.${NAME}${key}`, { signal }, begin).catch((error: unknown) => {
    if (isBegun) throw error;
    return act();
  });
}

function nextOf(chat: string): Stored | undefined {
  return messagesTo(chat)
    .toSorted(oldestFirst)
    .find(({ key }) => delivery(key)?.state !== "refused" && !delivery(key)?.messageId);
}

/** Send one message; false if the next one has to wait. */
async function post(message: Stored): Promise<boolean> {
  const { key, chat, text } = message;
  const attachments = await filesOf(message);
  // Another tab may have sent or withdrawn it in the meantime.
  if (!isStored(key) && !delivery(key)?.isUnstored) {
    drop(key);
    return true;
  }
  if (attachments === undefined) {
    change(key, { state: "refused", problem: new api.ApiError(0, "files-lost", FILES_LOST, FILES_LOST_HINT) });
    return true;
  }
  change(key, { state: "sending" });
  try {
    const { message_id } = await api.postMessage(chat, text, key, attachments);
    forgetStored(key);
    change(key, { messageId: message_id });
    const isShown = message_id === message.lostId || isInChat(chat, message_id);
    if (held(chat) === undefined || isShown) drop(key);
    return true;
  } catch (error) {
    return fail(message, error);
  }
}

function fail({ key, chat }: Stored, error: unknown): boolean {
  if (!(error instanceof api.ApiError)) throw error;
  const isTemporary = error.isPassing || error.status === 401;
  change(key, { state: isTemporary ? "waiting" : "refused", problem: error });
  if (isTemporary && error.status !== 401) setTimeout(() => void deliver(chat), RETRY_MS);
  return !isTemporary;
}
