// Messages on their way.
//
// Lives here: a message is stored under its key before it is sent, and stays
// until the server has taken it. The key makes it exactly one message, however
// often and from however many tabs it is sent. Lives elsewhere: what was typed
// and not sent (drafts.ts).

import { createSignal } from "solid-js";

import * as api from "../api/client";
import { held } from "./chat";
import { draft } from "./drafts";
import { forget, namesLike, onRemembered, recall, remember } from "./keep";

export interface Outgoing {
  readonly key: string;
  readonly chat: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `waiting`: goes out when the server answers again. `refused`: it will not; see `problem`. */
  readonly state: "sending" | "waiting" | "refused";
  readonly problem?: api.ApiError;
}

type Stored = Pick<Outgoing, "key" | "chat" | "text" | "at">;
type Fate = { state: Outgoing["state"]; problem?: api.ApiError; messageId?: string };

const NAME = "outbox.";
const RETRY_MS = 3_000;
const stored = new Map<string, Stored>();
const fates = new Map<string, Fate>();
const [all, setAll] = createSignal<readonly Outgoing[]>([]);
const atWork = new Set<string>();

/** Send a message: it is stored at once, and sent when the server can be reached. */
export function send(chat: string, text: string): Outgoing {
  const message: Stored = { key: api.newKey(), chat, text, at: nextMoment() };
  remember(NAME + message.key, JSON.stringify(message));
  stored.set(message.key, message);
  fates.set(message.key, { state: "sending" });
  show();
  void deliver(chat);
  return { ...message, state: "sending" };
}

/** Messages of a chat that are not in it yet, oldest first; reactive. */
export function outbox(chat: string): readonly Outgoing[] {
  return all().filter((message) => message.chat === chat && !hasArrived(message));
}

/** Send again what was refused. */
export function retrySend(key: string): void {
  const message = stored.get(key);
  if (message === undefined) return;
  fates.delete(key);
  show();
  void deliver(message.chat);
}

/** Do not send it after all; its text goes back into the chat's draft. */
export function discardSend(key: string): void {
  const message = stored.get(key);
  if (message === undefined) return;
  drop(key);
  const kept = draft(message.chat);
  kept.set([message.text, kept.text].filter(Boolean).join("\n"));
}

/** Send what waits; called when the server can be reached again, and at start. */
export function deliverAll(): void {
  load();
  for (const chat of new Set([...stored.values()].map((message) => message.chat))) void deliver(chat);
}

export function forgetOutbox(): void {
  for (const key of stored.keys()) drop(key);
}

/** One message after another, so that they arrive in the order they were sent in. */
async function deliver(chat: string): Promise<void> {
  if (atWork.has(chat)) return;
  atWork.add(chat);
  try {
    for (let next = nextOf(chat); next !== undefined; next = nextOf(chat)) {
      if (!(await post(next))) break;
    }
  } finally {
    atWork.delete(chat);
  }
}

function nextOf(chat: string): Stored | undefined {
  const waiting = [...stored.values()].filter((message) => message.chat === chat).toSorted(oldestFirst);
  return waiting.find(({ key }) => fates.get(key)?.state !== "refused" && !fates.get(key)?.messageId);
}

/** False when it is no use to go on now. */
async function post(message: Stored): Promise<boolean> {
  // Another tab may have been faster, or taken it back.
  if (recall(NAME + message.key) === null && fates.get(message.key)?.state !== "sending") {
    drop(message.key);
    return true;
  }
  setFate(message.key, { state: "sending" });
  try {
    const taken = await api.postMessage(message.chat, message.text, message.key);
    forget(NAME + message.key);
    setFate(message.key, { state: "sending", messageId: taken.message_id });
    if (held(message.chat) === undefined || arrived(message.chat, taken.message_id)) drop(message.key);
    return true;
  } catch (error) {
    return fail(message, error);
  }
}

function fail(message: Stored, error: unknown): boolean {
  if (!(error instanceof api.ApiError)) throw error;
  const passes = error.isPassing || error.status === 401;
  setFate(message.key, { state: passes ? "waiting" : "refused", problem: error });
  if (passes && error.status !== 401) setTimeout(() => void deliver(message.chat), RETRY_MS);
  return !passes;
}

/** Whether the chat shows it by now, so that it is not shown twice. */
function hasArrived(message: Outgoing): boolean {
  const id = fates.get(message.key)?.messageId;
  if (id === undefined || !arrived(message.chat, id)) return false;
  queueMicrotask(() => drop(message.key));
  return true;
}

function arrived(chat: string, id: string): boolean {
  const state = held(chat);
  if (state === undefined) return false;
  return (
    state.head.queue.some((message) => message.id === id) ||
    state.blocks.some((block) => block.kind === "message" && block.id === id)
  );
}

/** Now, but after every message there is: two sent within a millisecond keep their order. */
function nextMoment(): number {
  return Math.max(Date.now(), ...[...stored.values()].map((message) => message.at + 1));
}

function setFate(key: string, fate: Fate): void {
  fates.set(key, fate);
  show();
}

function drop(key: string): void {
  forget(NAME + key);
  if (stored.delete(key)) fates.delete(key);
  show();
}

function show(): void {
  const heldUp = new Set<string>();
  const messages = [...stored.values()].toSorted(oldestFirst).map((message): Outgoing => {
    const { state = "waiting", problem } = fates.get(message.key) ?? {};
    const isHeldUp = state === "sending" && heldUp.has(message.chat);
    if (state === "waiting") heldUp.add(message.chat);
    return { ...message, state: isHeldUp ? "waiting" : state, ...(problem && { problem }) };
  });
  setAll(messages);
}

function load(): void {
  for (const name of namesLike(NAME)) {
    const message = read(name);
    if (message !== undefined && !stored.has(message.key)) stored.set(message.key, message);
  }
  show();
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
  if (!name.startsWith(NAME)) return;
  const key = name.slice(NAME.length);
  // Taken out by another tab, which has sent it or taken it back.
  if (recall(name) === null && fates.get(key)?.messageId === undefined) drop(key);
  else load();
});
