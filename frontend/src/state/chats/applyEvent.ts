// The fold: applying an event to a chat.
//
// Lives here: one rule for each kind of event, the same rules as in
// chat/transcript.py; tests/golden holds both to it. Works on a plain object
// and on a draft inside Solid's `produce` alike. Lives elsewhere: the shapes
// (shapes.ts), the events (api/events.ts, generated).

import type { ChatEvent, EventKind, Events } from "../../api/events";
import type {
  Block,
  BlockKind,
  BlockOf,
  ChatState,
  Head,
  Json,
  JsonObject,
  QueuedMessage,
  ToolBlock,
} from "../shapes";

type Body = { seq: number; at: number; [name: string]: unknown };

export function newHead(): Head {
  return { seq: 0, last_at: null, turn: null, queue: [], questions: [], agents: {}, options: {}, commands: {}, usage: {} };
}

/** A chat before its first event. */
export function emptyChat(id: string): ChatState {
  return { id, head: newHead(), blocks: [] };
}

/** A chat from a `snapshot` event. */
export function fromSnapshot(id: string, body: { chat: Head; blocks: Block[] }): ChatState {
  return { id, head: body.chat, blocks: body.blocks };
}

/**
 * Apply one event. One that was applied already changes nothing; one of an unknown kind, or one that its rule cannot
 * handle, is kept whole, and later events still apply.
 */
export function applyEvent(chat: ChatState, kind: string, body: object): void {
  const event = { kind, body } as ChatEvent;
  if (event.body.seq <= chat.head.seq) return;
  chat.head.seq = event.body.seq;
  chat.head.last_at = event.body.last_at ?? event.body.at;
  if (!isKnown(kind)) return keepWhole(chat, body);
  try {
    applyKnown(chat, event);
  } catch {
    add(chat, "unknown", body, { raw: own(body), broken: true });
  }
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
    case "context":
      return takeContext(chat, event.body);
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
      // Replaced whole, since a name such as `__proto__` cannot be assigned to.
      chat.head.agents = { ...chat.head.agents, [agent]: status };
      return;
    }
    case "options":
      chat.head.options = { ...chat.head.options, [event.body.session_name ?? "main"]: event.body.options };
      return;
    case "commands":
      chat.head.commands = { ...chat.head.commands, [event.body.session_name ?? "main"]: event.body.commands };
      return;
    case "usage":
      chat.head.usage = { ...chat.head.usage, [event.body.session_name ?? "main"]: event.body.usage };
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
  context: true,
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

/** The index of a message in the queue: its old one, after others marked `ahead`, or the end. */
function placeOf(queue: readonly QueuedMessage[], body: Events["message"]): number {
  const place = queue.findIndex((message) => message.id === body.id || (body.ahead && !message.ahead));
  return place < 0 ? queue.length : place;
}

function startTurn(chat: ChatState, body: Events["turn-started"]): void {
  const { by, agent, session_name, turn } = body;
  chat.head.turn = { id: turn as string, since: body.at, ...given({ by, agent, session_name }) };
  const waiting = chat.head.queue.find((message) => message.id === body.message_id);
  if (waiting === undefined) return;
  const { queued: _, ahead: __, to: ___, ...message } = waiting;
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
  // Counted in code points, like in Python.
  const part = { after: Array.from(block.text).length, content: body.block };
  block.parts = [...(block.parts ?? []), part];
}

function changeTool(chat: ChatState, body: Events["tool-call"] | Events["tool-update"], isNew: boolean): void {
  const call = body.tool_call_id ?? "";
  const block = find(chat, "tool", (block) => block.id === body.id && (block.tool_call_id ?? "") === call);
  // Some agents count their calls from one in every turn.
  if (block !== undefined && !(isNew && block.turn !== body.turn)) {
    const isProposed = block.early === "proposed";
    if (isNew && isProposed) delete block.early;
    const said = isNew && !isProposed ? filledIn(block, body) : body;
    Object.assign(block, own(said), diffsKept(block, said), cuts(block.cut_at, said));
    return;
  }
  // A call that was only proposed in a question is replaced by the real call.
  const early: Pick<ToolBlock, "early"> = isNew ? {} : { early: body.status === "pending" ? "proposed" : true };
  add(chat, "tool", body, { ...DEFAULTS, ...own(body), ...cuts(undefined, body), ...early });
}

/** The fields that the log adds to an event. */
const BOOKKEEPING = new Set(["seq", "at", "last_at", "first_seq", "turn", "tool_call_id"]);

/** The fields of a tool call before anything is known. */
const DEFAULTS: Pick<ToolBlock, "title" | "tool_kind" | "status" | "locations" | "content"> & JsonObject = { title: "", tool_kind: "other", status: "pending", locations: [], content: [] };

function isDefault(name: string, value: unknown): boolean {
  const given = DEFAULTS[name];
  return Array.isArray(given) ? Array.isArray(value) && value.length === 0 : value === given;
}

/**
 * The fields that a call adds if it arrives after its first updates, or again: it removes nothing. Updates sent before the
 * call was meant to follow it, so the call fills in only what is missing.
 */
function filledIn(block: ToolBlock, body: Events["tool-call"] | Events["tool-update"]): typeof body {
  const isEarly = block.early === true;
  delete block.early;
  const before: JsonObject = block;
  const isSilent = (name: string, value: unknown) =>
    (name in DEFAULTS && isDefault(name, value)) ||
    (isEarly && name !== "id" && name !== "input" && !BOOKKEEPING.has(name) && before[name] !== undefined && !isDefault(name, before[name]));
  const said = Object.fromEntries(Object.entries(body).filter(([name, value]) => !isSilent(name, value)));
  if (isEarly && block.content.length > 0) block.content = [...block.content, ...furtherDiffs(block, body)];
  return said as unknown as typeof body;
}

/** Diffs of files that the block does not show yet. */
function furtherDiffs(block: ToolBlock, body: Events["tool-call"] | Events["tool-update"]): ToolBlock["content"] {
  const shown = new Set(block.content.flatMap((item) => (item.type === "diff" ? [item.path ?? null] : [])));
  const isCut = body.cut === true;
  return (body.content ?? [])
    .map((item, place) => (isCut ? { ...item, whole_at: { seq: body.seq, item: place } } : item))
    .filter((item) => item.type === "diff" && !shown.has(item.path ?? null));
}

/**
 * New content replaces the old, but a file's last diff stays, because some agents send it only once. A diff that
 * may be only a preview refers to the whole.
 */
function diffsKept(block: ToolBlock, body: Events["tool-call"] | Events["tool-update"]): Partial<ToolBlock> {
  const { content } = body;
  if (content === undefined) return {};
  const told = new Set(content.flatMap((item) => (item.type === "diff" ? [item.path ?? null] : [])));
  const seq = block.cut_at?.content;
  const placed = block.content.map((item, place) =>
    seq === undefined || "whole_at" in item ? item : { ...item, whole_at: { seq, item: place } },
  );
  const kept = placed.filter((item) => item.type === "diff" && !told.has(item.path ?? null));
  return kept.length > 0 ? { content: [...content, ...kept] } : {};
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

function takeContext(chat: ChatState, body: Events["context"]): void {
  const { skills_folder, indexed, skills, instructions, files, left_out } = body;
  const block = find(chat, "message", (block) => block.id === body.message_id);
  if (block === undefined) return;
  block.context = { ...given({ skills_folder }), indexed, skills, instructions, files, left_out };
}

/** The events that hold the whole of each cut field. */
function cuts(
  before: ToolBlock["cut_at"],
  body: Events["tool-call"] | Events["tool-update"],
): Pick<ToolBlock, "cut_at"> {
  const isCut = body.cut === true;
  if (!isCut && before === undefined) return {};
  const fields = (["input", "output", "content", "locations"] as const).filter((name) => name in body);
  const after = { ...before };
  for (const name of fields) {
    if (isCut) after[name] = body.seq;
    else delete after[name];
  }
  return { cut_at: after };
}

/** The block of a terminal, created if its opening event is missing. */
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
  if (block === undefined) add(chat, "plan", body, { entries: body.entries });
  else block.entries = body.entries;
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
  add(chat, "turn", body, { ...own(body), since });
}

function keepWhole(chat: ChatState, body: object): void {
  add(chat, "unknown", body, { raw: "raw" in body ? (body.raw as Json) : own(body) });
}

type Fields<K extends BlockKind> = Omit<BlockOf<K>, "kind" | "pos" | "at" | "turn" | "tool_call_id">;

function add<K extends BlockKind>(chat: ChatState, kind: K, body: object, fields: Fields<K> | JsonObject): BlockOf<K> {
  const { seq, first_seq, at, turn, tool_call_id } = body as Events["text-delta"];
  const block = { pos: first_seq ?? seq, kind, at, ...given({ turn, tool_call_id }), ...fields };
  chat.blocks.push(block as unknown as Block);
  // Read it back from the draft, so that further changes are tracked.
  return chat.blocks[chat.blocks.length - 1] as BlockOf<K>;
}

/** The newest block of a kind that fits; changes are nearly always near the end. */
function find<K extends BlockKind>(
  chat: ChatState,
  kind: K,
  fits: (block: BlockOf<K>) => boolean,
): BlockOf<K> | undefined {
  for (let i = chat.blocks.length - 1; i >= 0; i--) {
    const block = chat.blocks[i];
    if (isOf(block, kind) && fits(block)) return block;
  }
  return undefined;
}

function isOf<K extends BlockKind>(block: Block | undefined, kind: K): block is BlockOf<K> {
  return block?.kind === kind;
}

type Own<B> = Omit<B, "seq" | "at" | "last_at" | "first_seq" | "turn" | "tool_call_id">;

/** The event's own fields, without those the log added. */
function own<B extends object>(body: B): Own<B> & JsonObject {
  const { seq: _1, at: _2, last_at: _3, first_seq: _4, turn: _5, tool_call_id: _6, ...rest } = body as Body;
  return rest as Own<B> & JsonObject;
}

/** Without undefined values, as in JSON. */
function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
