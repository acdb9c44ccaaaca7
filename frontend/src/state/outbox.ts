// Messages on their way.
//
// Lives here: a message is stored under its key before it is sent, and stays
// until the server has taken it. The key makes it exactly one message, however
// often and from however many tabs it is sent. Lives elsewhere: what was typed
// and not sent (drafts.ts), the files that go along (files.ts).

import { createSignal } from "solid-js";

import * as api from "../api/client";
import { held } from "./chat";
import { draft } from "./drafts";
import { disown, idsOf, keptFiles, letGo } from "./files";
import { forget, namesLike, onRemembered, recall, remember } from "./keep";
import type { JsonObject } from "./shapes";

export interface Outgoing {
  readonly key: string;
  readonly chat: string;
  readonly text: string;
  readonly attachments?: readonly JsonObject[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `waiting`: goes out when the server answers again. `refused`: it will not; see `problem`. */
  readonly state: "sending" | "waiting" | "refused";
  readonly problem?: api.ApiError;
}

/** Stored with the ids of its files; `attachments` is what this tab holds of them. */
type Stored = Pick<Outgoing, "key" | "chat" | "text" | "attachments" | "at"> & { readonly files?: readonly string[] };

/** What this tab knows of a message beside its text. */
interface Fate {
  state: Outgoing["state"];
  problem?: api.ApiError;
  /** What the server calls it, once it has it. */
  messageId?: string;
  /** Messages the chat had when it was sent: whichever of the same text comes after is this one. */
  before?: Set<string>;
  /** The browser would not store it, or it is too large for that, so that only this tab knows of it. */
  isUnstored?: boolean;
}

const NAME = "outbox.";
/** A tab with a page that knows nothing of files would send it without them. */
const WITH_FILES = "outgoing.";
const NAMES = [NAME, WITH_FILES];
/** Characters; a browser stores about five million, for everything. */
const MOST_STORED = 1_000_000;
const LOST_HINT = "Edit it, and attach the files again.";
const RETRY_MS = 3_000;
/** How long another tab is left to send what it stored. */
const OTHERS_MS = 10_000;
/** The same, where files go along. */
const LARGE_MS = 900_000;
const stored = new Map<string, Stored>();
const fates = new Map<string, Fate>();
const atWork = new Set<string>();
const [all, setAll] = createSignal<readonly Outgoing[]>([]);

/** Send a message: it is stored at once, and sent when the server can be reached. */
export function send(chat: string, text: string, attachments: readonly JsonObject[] = []): Outgoing {
  const files = idsOf(attachments);
  const bare: Stored = { key: api.newKey(), chat, text, at: nextMoment(), ...(files.length > 0 && { files }) };
  const message = { ...bare, ...(attachments.length > 0 && { attachments }) };
  const words = JSON.stringify(bare);
  const isWhole = files.length === attachments.length && words.length <= MOST_STORED;
  const isUnstored = !isWhole || !remember((files.length > 0 ? WITH_FILES : NAME) + message.key, words);
  stored.set(message.key, message);
  fates.set(message.key, { state: "sending", before: new Set(messagesOf(chat).keys()), isUnstored });
  show();
  void deliver(chat);
  return { ...message, state: "sending" };
}

/** Send what is written in a chat, with what goes along; files that this tab could not read stay with the draft. */
export function sendDraft(chat: string, text: string): void {
  const { attachments, set, detach } = draft(chat);
  send(chat, text, attachments);
  set("");
  detach(attachments);
}

/** Messages of a chat that are not in it yet, oldest first; reactive. */
export function outbox(chat: string): readonly Outgoing[] {
  return all().filter((message) => message.chat === chat);
}

/** Send again what was refused. */
export function retrySend(key: string): void {
  const message = stored.get(key);
  if (message === undefined) return;
  change(key, { state: "sending" });
  void deliver(message.chat);
}

/** Do not send it after all; its text and what went along go back into the chat's draft. */
export function discardSend(key: string): void {
  const message = stored.get(key);
  if (message === undefined) return;
  const { attachments, files = [] } = message;
  const kept = draft(message.chat);
  // This tab does not hold them, or not all: the draft reads what there is of them.
  if (attachments === undefined && files.length > 0 && !kept.adopt(files)) return;
  kept.set([message.text, kept.text].filter(Boolean).join("\n"));
  if (attachments) {
    // Nothing that is stored has named its files since they left the draft.
    if (fates.get(key)?.isUnstored) disown(attachments);
    void kept.attach(attachments);
  }
  drop(key);
}

/** Send what waits; called when the server can be reached again, and at start. */
export function deliverAll(): void {
  for (const chat of addressed()) void deliver(chat);
}

/** The chat has changed: what it shows by now is on its way no longer. */
export function noticeArrivals(chat: string): void {
  const mine = [...stored.values()].filter((message) => message.chat === chat);
  if (mine.length > 0) show();
  for (const { key } of mine) {
    const id = fates.get(key)?.messageId;
    if (id !== undefined && messagesOf(chat).has(id)) drop(key);
  }
}

/** The chats that something is on its way to. */
export function addressed(): string[] {
  load();
  return [...new Set([...stored.values()].map((message) => message.chat))];
}

/** Forget all of them, or those of one chat. */
export function forgetOutbox(chat?: string): void {
  load();
  for (const message of stored.values()) if (chat === undefined || message.chat === chat) drop(message.key);
}

/** One message after another, so that they arrive in the order they were sent in. */
async function deliver(chat: string): Promise<void> {
  if (atWork.has(chat)) return;
  atWork.add(chat);
  try {
    for (let next = nextOf(chat); next !== undefined; next = nextOf(chat)) {
      const message = next;
      if (!(await alone(message, () => post(message)))) break;
    }
  } finally {
    atWork.delete(chat);
  }
}

/**
 * When no other tab is at it. Over plain HTTP tabs cannot agree on that: then two may send the same, as when one does not
 * come to an end, and the server takes it once.
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
  const waiting = [...stored.values()].filter((message) => message.chat === chat).toSorted(oldestFirst);
  return waiting.find(({ key }) => fates.get(key)?.state !== "refused" && !fates.get(key)?.messageId);
}

/** False when it is no use to go on now. */
async function post(message: Stored): Promise<boolean> {
  const { key, chat, text } = message;
  const attachments = await filesOf(message);
  // Another tab may have been faster, or taken it back.
  if (!isStored(key) && !fates.get(key)?.isUnstored) {
    drop(key);
    return true;
  }
  if (attachments === undefined) {
    change(key, { state: "refused", problem: new api.ApiError(0, "files-lost", "What was attached cannot be read any more.", LOST_HINT) });
    return true;
  }
  change(key, { state: "sending" });
  try {
    const taken = await api.postMessage(chat, text, key, attachments);
    forgetStored(key);
    change(key, { messageId: taken.message_id });
    if (held(chat) === undefined || messagesOf(chat).has(taken.message_id)) drop(key);
    return true;
  } catch (error) {
    return fail(message, error);
  }
}

/** What goes along, read if this tab does not hold it yet; undefined when a part of it cannot be read. */
async function filesOf(message: Stored): Promise<readonly JsonObject[] | undefined> {
  const { key, files = [], attachments } = message;
  if (attachments || files.length === 0) return attachments ?? [];
  const found = await keptFiles(files).catch((): (JsonObject | undefined)[] => []);
  const all = found.filter((file) => file !== undefined);
  if (all.length < files.length) return undefined;
  if (stored.has(key)) stored.set(key, { ...message, attachments: all });
  show();
  return all;
}

function fail({ key, chat }: Stored, error: unknown): boolean {
  if (!(error instanceof api.ApiError)) throw error;
  const passes = error.isPassing || error.status === 401;
  change(key, { state: passes ? "waiting" : "refused", problem: error });
  if (passes && error.status !== 401) setTimeout(() => void deliver(chat), RETRY_MS);
  return !passes;
}

/** What people have said in a chat, as far as this tab holds it: texts by id. */
function messagesOf(chat: string): Map<string, string> {
  const state = held(chat);
  const messages = state?.blocks.filter((block) => block.kind === "message") ?? [];
  return new Map([...messages, ...(state?.head.queue ?? [])].map(({ id, text }) => [id, text]));
}

/** Now, but after every message there is: two sent within a millisecond keep their order. */
function nextMoment(): number {
  return Math.max(Date.now(), ...[...stored.values()].map((message) => message.at + 1));
}

function change(key: string, what: Partial<Fate>): void {
  const { problem: _, ...before } = fates.get(key) ?? { state: "waiting" };
  fates.set(key, { ...before, ...what });
  show();
}

function drop(key: string): void {
  const { files = [] } = stored.get(key) ?? {};
  forgetStored(key);
  stored.delete(key);
  fates.delete(key);
  letGo(files);
  show();
}

/** The stream is often faster than the reply: what the chat shows already is not shown twice. */
function show(): void {
  const heldUp = new Set<string>();
  const claimed = new Set<string>();
  const shown: Outgoing[] = [];
  for (const message of [...stored.values()].toSorted(oldestFirst)) {
    const fate = fates.get(message.key) ?? { state: "waiting" };
    const seenAs = fate.messageId ?? newcomer(message, fate, claimed);
    if (seenAs !== undefined) claimed.add(seenAs);
    if (seenAs !== undefined && messagesOf(message.chat).has(seenAs)) continue;
    const isHeldUp = fate.state === "sending" && heldUp.has(message.chat);
    if (fate.state === "waiting") heldUp.add(message.chat);
    const state = isHeldUp ? "waiting" : fate.state;
    const { files: _, ...rest } = message;
    shown.push({ ...rest, state, ...(fate.problem && { problem: fate.problem }) });
  }
  setAll(shown);
}

function newcomer(message: Stored, fate: Fate, claimed: Set<string>): string | undefined {
  const { before } = fate;
  if (before === undefined || fate.state !== "sending") return undefined;
  const isIt = ([id, text]: [string, string]) => text === message.text && !before.has(id) && !claimed.has(id);
  return [...messagesOf(message.chat)].find(isIt)?.[0];
}

function load(): void {
  for (const name of NAMES.flatMap(namesLike)) {
    const message = read(name);
    if (message === undefined || stored.has(message.key)) continue;
    stored.set(message.key, message);
    void filesOf(message);
  }
  show();
}

function isStored(key: string): boolean {
  return NAMES.some((name) => recall(name + key) !== null);
}

function forgetStored(key: string): void {
  for (const name of NAMES) forget(name + key);
}

function read(name: string): Stored | undefined {
  try {
    const value = JSON.parse(recall(name) ?? "null") as Stored | null;
    return value && typeof value.chat === "string" && typeof value.text === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function oldestFirst(one: Stored, other: Stored): number {
  return one.at - other.at || (one.key < other.key ? -1 : 1);
}

onRemembered((name) => {
  const start = NAMES.find((one) => name.startsWith(one));
  if (start === undefined) return;
  const key = name.slice(start.length);
  if (!isStored(key)) {
    // Taken out by another tab, which has sent it or taken it back.
    if (fates.get(key)?.messageId === undefined) drop(key);
    return;
  }
  load();
  setTimeout(deliverAll, OTHERS_MS);
});
