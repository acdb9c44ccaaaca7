// What this browser keeps of chats that are gone.
//
// Lives here: when it may be forgotten. Another server, or one that was put back to an earlier day, may answer under
// the same address: that a chat is not there is no proof that it was deleted, and what somebody has written is worth more
// than the room it takes. Lives elsewhere: what is kept (drafts.ts, outbox.ts, files.ts).

import * as api from "../api/client";
import { attachedBefore, draft, drafted, forgetAttached } from "./drafts";
import { sweepFiles } from "./files";
import { addressed, forgetOutbox } from "./outbox";

const OLD_MS = 30 * 24 * 3_600_000;

/** The server told that this chat was deleted; it is asked once more. */
export async function forgetDeleted(chat: string): Promise<void> {
  const isKept = drafted().includes(chat) || addressed().includes(chat);
  if (!isKept || !(await isGone(chat))) return;
  draft(chat).clear();
  forgetOutbox(chat);
}

/** Files take much room: those attached long ago to a chat that is not there any more. */
export async function forgetOldFiles(there: ReadonlySet<string>): Promise<void> {
  // A list may be older than the newest chat, so each is asked for.
  for (const chat of attachedBefore(Date.now() - OLD_MS)) if (!there.has(chat) && (await isGone(chat))) forgetAttached(chat);
  await sweepFiles();
}

/** Only VoxPilot's own word for it counts: what stands between here and the server has other 404s. */
async function isGone(chat: string): Promise<boolean> {
  return api.readChat(chat).then(
    () => false,
    (error: unknown) => error instanceof api.ApiError && error.status === 404 && error.code === "not-found",
  );
}
