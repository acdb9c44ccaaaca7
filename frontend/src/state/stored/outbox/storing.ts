// The messages of the outbox, in this tab and in the browser's storage.
//
// Lives here: a message is stored under its key and stays until the server has accepted it. Other tabs read it there.
// Lives elsewhere: sending (delivering.ts), which messages are shown (matching.ts), the files (../files.ts).

import { createSignal } from "solid-js";

import { ApiError } from "../../../api/client";
import type { JsonObject } from "../../shapes";
import { keptFiles, letGo } from "../files";
import { forget, namesLike, onRemembered, recall, remember } from "../localStore";
import { unseen } from "./matching";
import type { Delivery, Outgoing, Stored } from "./message";

export const NAME = "outbox.";
/** Messages with files: an older version of the page in another tab would send them without their files. */
const WITH_FILES = "outgoing.";
const NAMES = [NAME, WITH_FILES];
/** Characters; a browser stores about five million in total. */
const MOST_STORED = 1_000_000;
const GONE_BACK = "The server was restored to an earlier state that does not include this message.";
const messages = new Map<string, Stored>();
const deliveries = new Map<string, Delivery>();
const [shown, setShown] = createSignal<readonly Outgoing[]>([]);

/** The messages that their chats do not show yet, oldest first; reactive. */
export { shown };

export function message(key: string): Stored | undefined {
  return messages.get(key);
}

export function messagesTo(chat: string): Stored[] {
  return [...messages.values()].filter((one) => one.chat === chat);
}

export function allMessages(): Stored[] {
  return [...messages.values()];
}

export function delivery(key: string): Delivery | undefined {
  return deliveries.get(key);
}

/** Add a message with its attachments; `files` holds the ids of those the browser stores. */
export function add(stored: Stored, attachments: readonly JsonObject[], before: Set<string>): Stored {
  const isUnstored = (stored.files?.length ?? 0) < attachments.length || !keep(stored);
  const added = { ...stored, ...(attachments.length > 0 && { attachments }) };
  messages.set(added.key, added);
  deliveries.set(added.key, { state: "sending", before, isUnstored });
  show();
  return added;
}

/** Update a delivery; clears its problem unless a new one is given. */
export function change(key: string, changed: Partial<Delivery>): void {
  const { problem: _, ...before } = deliveries.get(key) ?? { state: "waiting" };
  deliveries.set(key, { ...before, ...changed });
  show();
}

/** Mark a message that the server accepted and no longer has. */
export function markLost(lost: Stored, lostId: string): void {
  const isUnstored = (lost.files?.length ?? 0) < (lost.attachments?.length ?? 0) || !keep(lost, lostId);
  messages.set(lost.key, { ...lost, lostId });
  deliveries.set(lost.key, { ...lostDelivery(), isUnstored });
  show();
}

export function drop(key: string): void {
  const { files = [] } = messages.get(key) ?? {};
  forgetStored(key);
  messages.delete(key);
  deliveries.delete(key);
  letGo(files);
  show();
}

/** The files of a message, read if this tab has not read them yet; undefined if one of them cannot be read. */
export async function filesOf(stored: Stored): Promise<readonly JsonObject[] | undefined> {
  const { key, files = [], attachments } = stored;
  if (attachments || files.length === 0) return attachments ?? [];
  const found = await keptFiles(files).catch((): (JsonObject | undefined)[] => []);
  const all = found.filter((file) => file !== undefined);
  if (all.length < files.length) return undefined;
  if (messages.has(key)) messages.set(key, { ...stored, attachments: all });
  show();
  return all;
}

/** Update the shown messages after a change in the outbox or in a chat. */
export function show(): void {
  setShown(unseen(allMessages(), delivery));
}

/** Now, but later than every message in the outbox: two sent within a millisecond keep their order. */
export function nextMoment(): number {
  return Math.max(Date.now(), ...allMessages().map(({ at }) => at + 1));
}

/** Read the messages that the browser stores and this tab does not have. */
export function load(): void {
  for (const name of NAMES.flatMap(namesLike)) {
    const found = read(name);
    if (found === undefined || messages.has(found.key)) continue;
    messages.set(found.key, found);
    if (found.lostId !== undefined) deliveries.set(found.key, lostDelivery());
    void filesOf(found);
  }
  show();
}

/** Whether the browser stored it; the files themselves are stored elsewhere. */
export function keep({ key, chat, text, at, files }: Stored, lostId?: string): boolean {
  const stored = JSON.stringify({ key, chat, text, at, files, lostId });
  return stored.length <= MOST_STORED && remember((files === undefined ? NAME : WITH_FILES) + key, stored);
}

export function isStored(key: string): boolean {
  return NAMES.some((name) => recall(name + key) !== null);
}

export function forgetStored(key: string): void {
  for (const name of NAMES) forget(name + key);
}

/** Called with the key of a message that another tab stored or removed. */
export function onStoredElsewhere(tell: (key: string) => void): void {
  onRemembered((name) => {
    const start = NAMES.find((one) => name.startsWith(one));
    if (start !== undefined) tell(name.slice(start.length));
  });
}

function lostDelivery(): Delivery {
  return { state: "refused", problem: new ApiError(0, "gone-back", GONE_BACK, "Send it again if you still need it.") };
}

function read(name: string): Stored | undefined {
  try {
    const value = JSON.parse(recall(name) ?? "null") as Stored | null;
    return value && typeof value.chat === "string" && typeof value.text === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
