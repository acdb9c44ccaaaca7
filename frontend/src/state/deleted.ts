// What this browser keeps of chats that are gone.
//
// Lives here: forgetting it. Lives elsewhere: what is kept (drafts.ts, outbox.ts, files.ts).

import * as api from "../api/client";
import { draft, drafted } from "./drafts";
import { sweepFiles } from "./files";
import { addressed, forgetOutbox } from "./outbox";

/** A chat was deleted. */
export function forgetChat(chat: string): void {
  draft(chat).clear();
  forgetOutbox(chat);
}

/** Of those that were deleted while no page was open. A list may be older than the newest chat, so each is asked for. */
export async function forgetDeleted(there: ReadonlySet<string>): Promise<void> {
  const kept = new Set([...drafted(), ...addressed()]);
  for (const chat of [...kept].filter((chat) => !there.has(chat))) {
    const isGone = (error: unknown) => error instanceof api.ApiError && error.status === 404;
    await api.readChat(chat).catch((error: unknown) => isGone(error) && forgetChat(chat));
  }
  await sweepFiles();
}
