// Made from chat/events.py by `make types`; do not edit.

import type { Json, JsonObject } from "../state/shapes";

/** What the log adds to every event. */
interface Logged {
  seq: number;
  /** Seconds since 1970. */
  at: number;
  /** Where a run of deltas was joined: the first number it covers, the time of its last. */
  first_seq?: number;
  last_at?: number;
  /** Only a preview; the whole has `size` bytes. */
  cut?: boolean;
  size?: number;
}

/** A person's message, or a whole message from history. The same id again replaces it. */
export interface MessagePosted extends Logged {
  turn?: string;
  tool_call_id?: string;
  id: string;
  role: "user" | "assistant" | "agent";
  text: string;
  attachments?: JsonObject[];
  queued?: boolean;
  removed?: boolean;
  ahead?: boolean;
}

export interface TurnStarted extends Logged {
  turn?: string;
  tool_call_id?: string;
  by: "assistant" | "agent";
  message_id: string;
  agent?: string;
  session_name?: string;
}

export interface TextSpoken extends Logged {
  turn?: string;
  tool_call_id?: string;
  message_id: string;
  content: string;
  block?: JsonObject;
}

export interface ThoughtSpoken extends Logged {
  turn?: string;
  tool_call_id?: string;
  message_id: string;
  content: string;
  block?: JsonObject;
}

/** Text of an agent that works for the assistant, within the call named by `tool_call_id`. */
export interface DelegateSpoke extends Logged {
  turn?: string;
  tool_call_id?: string;
  message_id: string;
  content: string;
  session_name: string;
  agent: string;
  block?: JsonObject;
}

/** The agent has done what the assistant delegated to it, or will not. */
export interface DelegateDone extends Logged {
  turn?: string;
  tool_call_id?: string;
  session_name: string;
  agent: string;
  summary: string;
  stop_reason: string;
}

/** A tool of the assistant's has ended. */
export interface ToolReturned extends Logged {
  turn?: string;
  tool_call_id?: string;
  id: string;
  name: string;
  content: string;
  display: string;
  is_error: boolean;
}

/** An unfinished answer of the model's that was asked for again. */
export interface MessageSuperseded extends Logged {
  turn?: string;
  tool_call_id?: string;
  message_id: string;
}

export interface ToolCallStarted extends Logged {
  turn?: string;
  tool_call_id?: string;
  id: string;
  title: string;
  tool_kind: string;
  status: string;
  name?: string;
  input?: Json;
  output?: Json;
  locations?: JsonObject[];
  content?: JsonObject[];
  meta?: JsonObject;
  unasked?: boolean;
}

/** A patch: fields left out stay as they were. */
export interface ToolCallChanged extends Logged {
  turn?: string;
  tool_call_id?: string;
  id: string;
  title?: string;
  tool_kind?: string;
  status?: string;
  name?: string;
  input?: Json;
  output?: Json;
  locations?: JsonObject[];
  content?: JsonObject[];
  meta?: JsonObject;
  unasked?: boolean;
}

export interface PlanMade extends Logged {
  turn?: string;
  tool_call_id?: string;
  entries: JsonObject[];
}

export interface QuestionAsked extends Logged {
  turn?: string;
  tool_call_id?: string;
  id: string;
  type: "permission" | "form" | "url" | "confirm" | "sign-in";
  title: string;
  detail: JsonObject;
  options: JsonObject[];
  agent?: string;
}

export interface QuestionAnswered extends Logged {
  turn?: string;
  tool_call_id?: string;
  question_id: string;
  outcome: string;
  by: "person" | "rule" | "auto" | "cancelled" | "expired";
  option_id?: string;
  where?: string;
  reason?: string;
}

/** A command runs for an agent. */
export interface TerminalOpened extends Logged {
  turn?: string;
  tool_call_id?: string;
  terminal_id: string;
  command: Json;
  cwd?: string;
  takes_input?: boolean;
  tool?: string;
  told_as?: string;
}

/** More output of a command; put together it is the output. */
export interface TerminalPrinted extends Logged {
  turn?: string;
  tool_call_id?: string;
  terminal_id: string;
  data: string;
  skipped?: number;
  held?: boolean;
}

/** A command ended, by itself or by a signal; if neither is known, with its agent. */
export interface TerminalExited extends Logged {
  turn?: string;
  tool_call_id?: string;
  terminal_id: string;
  exit_code?: number;
  signal?: string;
}

export interface AgentStatusChanged extends Logged {
  turn?: string;
  tool_call_id?: string;
  agent: string;
  status: "starting" | "connected" | "busy" | "disconnected" | "error";
  message?: string;
  hint?: string;
}

/** Modes, models and config options of a session in one shape, with their current values. */
export interface OptionsChanged extends Logged {
  turn?: string;
  tool_call_id?: string;
  options: JsonObject[];
  session_name?: string;
}

export interface CommandsChanged extends Logged {
  turn?: string;
  tool_call_id?: string;
  commands: JsonObject[];
  session_name?: string;
}

export interface UsageReported extends Logged {
  turn?: string;
  tool_call_id?: string;
  usage: JsonObject;
  session_name?: string;
}

/** Title, workspace, mode, agent, policy: only what changed. */
export interface ChatInfoChanged extends Logged {
  turn?: string;
  tool_call_id?: string;
  title?: string;
  workspace?: string;
  mode?: string;
  agent?: string;
  policy?: string;
  counts?: string;
  meta?: JsonObject;
}

export interface NoticeGiven extends Logged {
  turn?: string;
  tool_call_id?: string;
  level: "info" | "warning" | "error";
  code: string;
  text: string;
  detail?: string;
}

/** Always comes, exactly once for each turn. */
export interface TurnEnded extends Logged {
  turn?: string;
  tool_call_id?: string;
  stop_reason: string;
  error?: JsonObject;
}

export interface UpdateNotUnderstood extends Logged {
  turn?: string;
  tool_call_id?: string;
  raw: Json;
}

/** Every kind of event, with its body. */
export interface Events {
  "message": MessagePosted;
  "turn-started": TurnStarted;
  "text-delta": TextSpoken;
  "thought-delta": ThoughtSpoken;
  "copilot-delta": DelegateSpoke;
  "copilot-done": DelegateDone;
  "tool-result": ToolReturned;
  "superseded": MessageSuperseded;
  "tool-call": ToolCallStarted;
  "tool-update": ToolCallChanged;
  "plan": PlanMade;
  "question": QuestionAsked;
  "answer": QuestionAnswered;
  "terminal": TerminalOpened;
  "terminal-output": TerminalPrinted;
  "terminal-exit": TerminalExited;
  "agent-status": AgentStatusChanged;
  "options": OptionsChanged;
  "commands": CommandsChanged;
  "usage": UsageReported;
  "chat-info": ChatInfoChanged;
  "notice": NoticeGiven;
  "turn-ended": TurnEnded;
  "unknown": UpdateNotUnderstood;
}

export type EventKind = keyof Events;
export type ChatEvent = { [K in EventKind]: { kind: K; body: Events[K] } }[EventKind];
