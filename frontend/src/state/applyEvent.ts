// The fold: one event taken into a chat.
//
// Lives here: one rule for each kind of event, the same rules as in
// chat/transcript.py; tests/golden holds both to it. Works on a plain object
// and on a draft inside Solid's `produce` alike. Lives elsewhere: the shapes
// (shapes.ts), the events (api/events.ts, generated).

import type { ChatEvent, EventKind, Events } from "../api/events";
import {
  newHead,
  type Block,
  type BlockKind,
  type BlockOf,
  type ChatState,
  type Head,
  type Json,
  type JsonObject,
  type QueuedMessage,
  type ToolBlock,
} from "./shapes";

type Body = { seq: number; at: number; [name: string]: unknown };

/** A chat of which nothing is known yet. */
export function emptyChat(id: string): ChatState {
  return { id, head: newHead(), blocks: [] };
}

/** A chat as a `snapshot` event tells it. */
export function fromSnapshot(id: string, body: { chat: Head; blocks: Block[] }): ChatState {
  return { id, head: body.chat, blocks: body.blocks };
}

/** Take in one event. One that was seen already changes nothing, one of a kind we do not know is kept whole. */
export function applyEvent(chat: ChatState, kind: string, body: object): void {
  const event = { kind, body } as ChatEvent;
  if (event.body.seq <= chat.head.seq) return;
  chat.head.seq = event.body.seq;
  chat.head.last_at = event.body.last_at ?? event.body.at;
  if (isKnown(kind)) applyKnown(chat, event);
  else keepWhole(chat, body);
}

function applyKnown(chat: ChatState, event: ChatEvent): void {
  switch (event.kind) {
    case "message":
      return takeMessage(chat, event.body);
    case "turn-started":
      return startTurn(chat, event.body);
    case "text-delta":
      return speak(chat, "text", event.body);
    case "thought-delta":
      return speak(chat, "thought", event.body);
    case "copilot-delta":
      return speak(chat, "text", event.body);
    case "copilot-done":
      return endDelegation(chat, event.body);
    case "tool-result":
      return takeResult(chat, event.body);
    case "superseded":
      return supersede(chat, event.body.message_id);
    case "tool-call":
      return changeTool(chat, event.body, true);
    case "tool-update":
      return changeTool(chat, event.body, false);
    case "terminal":
      Object.assign(terminalOf(chat, event.body), own(event.body));
      return;
    case "terminal-output":
      return printOutput(chat, event.body);
    case "terminal-exit":
      return endTerminal(chat, event.body);
    case "plan":
      return changePlan(chat, event.body);
    case "question":
      chat.head.questions = [...chat.head.questions, event.body.id];
      add(chat, "question", event.body, own(event.body));
      return;
    case "answer":
      return takeAnswer(chat, event.body);
    case "agent-status": {
      const { agent, ...status } = own(event.body);
      chat.head.agents[agent] = status;
      return;
    }
    case "options":
      chat.head.options[event.body.session_name ?? "main"] = event.body.options as never;
      return;
    case "commands":
      chat.head.commands[event.body.session_name ?? "main"] = event.body.commands as never;
      return;
    case "usage":
      chat.head.usage[event.body.session_name ?? "main"] = event.body.usage as never;
      return;
    case "chat-info":
      Object.assign(chat.head, own(event.body));
      return;
    case "notice":
      return takeNotice(chat, event.body);
    case "turn-ended":
      return endTurn(chat, event.body);
    case "unknown":
      return keepWhole(chat, event.body);
    default:
      event satisfies never;
  }
}

const KNOWN: { [K in EventKind]: true } = {
  message: true,
  "turn-started": true,
  "text-delta": true,
  "thought-delta": true,
  "copilot-delta": true,
  "copilot-done": true,
  "tool-result": true,
  superseded: true,
  "tool-call": true,
  "tool-update": true,
  terminal: true,
  "terminal-output": true,
  "terminal-exit": true,
  plan: true,
  question: true,
  answer: true,
  "agent-status": true,
  options: true,
  commands: true,
  usage: true,
  "chat-info": true,
  notice: true,
  "turn-ended": true,
  unknown: true,
};

function isKnown(kind: string): kind is EventKind {
  return Object.hasOwn(KNOWN, kind);
}

function takeMessage(chat: ChatState, body: Events["message"]): void {
  const before = chat.head.queue;
  const queue = before.filter((message) => message.id !== body.id);
  if (body.queued) {
    queue.splice(placeOf(before, body), 0, own(body));
  } else if (!body.removed) {
    add(chat, "message", body, own(body));
  }
  chat.head.queue = queue;
}

/** Where a message waits: where it did, behind those that go ahead like it, or at the end. */
function placeOf(queue: readonly QueuedMessage[], body: Events["message"]): number {
  const place = queue.findIndex((message) => message.id === body.id || (body.ahead && !message.ahead));
  return place < 0 ? queue.length : place;
}

function startTurn(chat: ChatState, body: Events["turn-started"]): void {
  const { by, agent, session_name, turn } = body;
  chat.head.turn = { id: turn as string, since: body.at, ...given({ by, agent, session_name }) };
  const waiting = chat.head.queue.find((message) => message.id === body.message_id);
  if (waiting === undefined) return;
  const { queued: _, ahead: __, ...message } = waiting as QueuedMessage;
  add(chat, "message", body, message);
  chat.head.queue = chat.head.queue.filter((other) => other.id !== body.message_id);
}

function speak(chat: ChatState, kind: "text" | "thought", body: Events["text-delta"] | Events["copilot-delta"]): void {
  const { message_id } = body;
  const block =
    find(chat, kind, (block) => block.message_id === message_id) ??
    add(chat, kind, body, { message_id, text: "" });
  block.text += body.content;
  if (body.block === undefined) return;
  // Counted in code points, as Python counts.
  const part = { after: Array.from(block.text).length, content: body.block };
  block.parts = [...(block.parts ?? []), part];
}

function changeTool(chat: ChatState, body: Events["tool-call"] | Events["tool-update"], isNew: boolean): void {
  const call = body.tool_call_id ?? "";
  const block = find(chat, "tool", (block) => block.id === body.id && (block.tool_call_id ?? "") === call);
  // Some agents count their calls from one in every turn.
  if (block !== undefined && !(isNew && block.turn !== body.turn)) {
    Object.assign(block, own(body), diffsKept(block, body), cuts(block.cut_at, body));
    return;
  }
  const defaults = { title: "", tool_kind: "other", status: "pending", locations: [], content: [] };
  add(chat, "tool", body, { ...defaults, ...own(body), ...cuts(undefined, body) } as never);
}

/**
 * New content takes the place of the old, but a file's last diff stays: some agents show it only once. One of which
 * perhaps only a preview is here says where it is whole.
 */
function diffsKept(block: ToolBlock, body: Events["tool-call"] | Events["tool-update"]): JsonObject {
  const content = body.content as ToolBlock["content"] | undefined;
  if (content === undefined) return {};
  const told = new Set(content.flatMap((item) => (item.type === "diff" ? [item.path ?? null] : [])));
  const seq = block.cut_at?.content;
  const placed = block.content.map((item, place) =>
    seq === undefined || "whole_at" in item ? item : { ...item, whole_at: { seq, item: place } },
  );
  const kept = placed.filter((item) => item.type === "diff" && !told.has(item.path ?? null));
  return kept.length > 0 ? { content: [...content, ...kept] as Json } : {};
}

function ownCall(chat: ChatState, id: string | undefined): ToolBlock | undefined {
  return find(chat, "tool", (block) => block.id === id && block.tool_call_id === undefined);
}

function endDelegation(chat: ChatState, body: Events["copilot-done"]): void {
  const block = ownCall(chat, body.tool_call_id);
  if (block !== undefined) block.delegated = own(body);
}

function takeResult(chat: ChatState, body: Events["tool-result"]): void {
  const block = ownCall(chat, body.id);
  if (block === undefined) return;
  const { id: _, name: __, ...result } = own(body);
  block.result = { ...result, seq: body.seq };
  block.status = body.is_error ? "failed" : "completed";
}

function supersede(chat: ChatState, id: string): void {
  for (const kind of ["text", "thought"] as const) {
    const block = find(chat, kind, (block) => block.message_id === id);
    if (block !== undefined) block.superseded = true;
  }
}

/** Which events hold the whole of those fields of which only a preview is shown. */
function cuts(
  before: ToolBlock["cut_at"],
  body: Events["tool-call"] | Events["tool-update"],
): Pick<ToolBlock, "cut_at"> {
  const isCut = (body as { cut?: boolean }).cut === true;
  if (!isCut && before === undefined) return {};
  const fields = (["input", "output", "content", "locations"] as const).filter((name) => name in body);
  const after = { ...before };
  for (const name of fields) {
    if (isCut) after[name] = body.seq;
    else delete after[name];
  }
  return { cut_at: after };
}

/** The block of a terminal, also of one whose opening was not told. */
function terminalOf(chat: ChatState, body: Events["terminal" | "terminal-output" | "terminal-exit"]): BlockOf<"terminal"> {
  const { terminal_id } = body;
  return (
    find(chat, "terminal", (block) => block.terminal_id === terminal_id) ??
    add(chat, "terminal", body, { terminal_id, text: "" })
  );
}

function printOutput(chat: ChatState, body: Events["terminal-output"]): void {
  const block = terminalOf(chat, body);
  block.text += body.data;
  if (body.skipped !== undefined) block.skipped = (block.skipped ?? 0) + body.skipped;
  if (body.held !== undefined) block.held = body.held;
}

function endTerminal(chat: ChatState, body: Events["terminal-exit"]): void {
  const block = terminalOf(chat, body);
  delete block.held;
  const { terminal_id: _, ...exit } = own(body);
  block.exit = exit;
}

function changePlan(chat: ChatState, body: Events["plan"]): void {
  const { turn, tool_call_id } = body;
  const block = find(chat, "plan", (block) => block.turn === turn && block.tool_call_id === tool_call_id);
  if (block === undefined) add(chat, "plan", body, { entries: body.entries as never });
  else block.entries = body.entries as never;
}

function takeAnswer(chat: ChatState, body: Events["answer"]): void {
  const id = body.question_id;
  chat.head.questions = chat.head.questions.filter((question) => question !== id);
  const block = find(chat, "question", (block) => block.id === id);
  if (block !== undefined) block.answer = { ...own(body), at: body.at };
}

function takeNotice(chat: ChatState, body: Events["notice"]): void {
  if (body.code !== "stopping") add(chat, "notice", body, own(body));
  else if (chat.head.turn !== null) chat.head.turn.stopping = true;
}

function endTurn(chat: ChatState, body: Events["turn-ended"]): void {
  const since = chat.head.turn?.since ?? body.at;
  chat.head.turn = null;
  add(chat, "turn", body, { ...own(body), since } as never);
}

function keepWhole(chat: ChatState, body: object): void {
  add(chat, "unknown", body, { raw: "raw" in body ? (body.raw as Json) : own(body) });
}

type Fields<K extends BlockKind> = Omit<BlockOf<K>, "kind" | "pos" | "at" | "turn" | "tool_call_id">;

function add<K extends BlockKind>(chat: ChatState, kind: K, body: object, fields: Fields<K> | JsonObject): BlockOf<K> {
  const { seq, first_seq, at, turn, tool_call_id } = body as Events["text-delta"];
  const block = { pos: first_seq ?? seq, kind, at, ...given({ turn, tool_call_id }), ...fields };
  chat.blocks.push(block as unknown as Block);
  // What was pushed into a draft is read back, so that further changes to it are seen.
  return chat.blocks[chat.blocks.length - 1] as BlockOf<K>;
}

/** The newest block of a kind that fits; what changes is nearly always near the end. */
function find<K extends BlockKind>(
  chat: ChatState,
  kind: K,
  fits: (block: BlockOf<K>) => boolean,
): BlockOf<K> | undefined {
  for (let i = chat.blocks.length - 1; i >= 0; i--) {
    const block = chat.blocks[i] as Block;
    if (block.kind === kind && fits(block as BlockOf<K>)) return block as BlockOf<K>;
  }
  return undefined;
}

type Own<B> = Omit<B, "seq" | "at" | "last_at" | "first_seq" | "turn" | "tool_call_id">;

/** What an event says itself, without what the log added. */
function own<B extends object>(body: B): Own<B> & JsonObject {
  const { seq: _1, at: _2, last_at: _3, first_seq: _4, turn: _5, tool_call_id: _6, ...rest } = body as Body;
  return rest as Own<B> & JsonObject;
}

/** Without what is undefined, which JSON would not carry either. */
function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
