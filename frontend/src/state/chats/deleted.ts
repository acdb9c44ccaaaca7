// What this browser stores of deleted chats.
//
// Lives here: when it may be removed. Another server, or one restored from a backup, may answer under
// the same address: a missing chat does not prove that it was deleted, and unsent text is worth more
// than the space it takes. Lives elsewhere: what is stored (drafts.ts, outbox, files.ts).

import * as api from "../../api/client";
import { attachedBefore, draft, drafted, forgetAttached } from "../stored/drafts";
import { sweepFiles } from "../stored/files";
import { addressed, forgetOutbox } from "../stored/outbox";

const OLD_MS = 30 * 24 * 3_600_000;

/** The server reported this chat as deleted; ask it once more to be sure. */
export async function forgetDeleted(chat: string): Promise<void> {
  const isKept = drafted().includes(chat) || addressed().includes(chat);
  if (!isKept || !(await isGone(chat))) return;
  draft(chat).clear();
  forgetOutbox(chat);
}

/** Remove large files that were attached long ago to a chat that no longer exists. */
export async function forgetOldFiles(there: ReadonlySet<string>): Promise<void> {
  // The list may be older than the newest chat, so ask for each one.
  for (const chat of attachedBefore(Date.now() - OLD_MS)) if (!there.has(chat) && (await isGone(chat))) forgetAttached(chat);
  await sweepFiles();
}

/** Only VoxPilot's own 404 is proof: a proxy on the way has other 404s. */
async function isGone(chat: string): Promise<boolean> {
  return api.readChat(chat).then(
    () => false,
    (error: unknown) => error instanceof api.ApiError && error.status === 404 && error.code === "not-found",
  );
}
