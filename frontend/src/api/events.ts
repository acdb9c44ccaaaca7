// Generated from chat/events.py by `make types`; do not edit.

import type { AgentCommand, AgentOption, ChatModel, ContentPart, Handover, Json, JsonObject, LeftOut, Location, PlanEntry, QuestionDetail, QuestionOption, SentFile, SentSkill, ToolContent, TurnError, Usage } from "../state/shapes";

/** The fields that the log adds to every event. */
type Logged = {
  seq: number;
  /** Seconds since 1970. */
  at: number;
  /** If a run of deltas was joined: the first number it covers, and the time of its last. */
  first_seq?: number;
  last_at?: number;
  /** Only a preview; the whole has `size` bytes. */
  cut?: boolean;
  size?: number;
};

/** A person's message, or a whole message from history. The same id again replaces it. */
export type MessagePosted = Logged & {
  turn?: string;
  tool_call_id?: string;
  id: string;
  role: "user" | "assistant" | "agent";
  text: string;
  attachments?: JsonObject[];
  queued?: boolean;
  removed?: boolean;
  ahead?: boolean;
  to?: string;
  handover?: string;
};

export type TurnStarted = Logged & {
  turn?: string;
  tool_call_id?: string;
  by: "assistant" | "agent";
  message_id: string;
  agent?: string;
  session_name?: string;
};

export type TextSpoken = Logged & {
  turn?: string;
  tool_call_id?: string;
  message_id: string;
  content: string;
  block?: ContentPart;
};

export type ThoughtSpoken = Logged & {
  turn?: string;
  tool_call_id?: string;
  message_id: string;
  content: string;
  block?: ContentPart;
};

/** Text of an agent that works for the assistant, within the call named by `tool_call_id`. */
export type DelegateSpoke = Logged & {
  turn?: string;
  tool_call_id?: string;
  message_id: string;
  content: string;
  session_name: string;
  agent: string;
  block?: ContentPart;
};

/** The agent has finished the delegated task, or has failed. */
export type DelegateDone = Logged & {
  turn?: string;
  tool_call_id?: string;
  session_name: string;
  agent: string;
  summary: string;
  stop_reason: string;
};

/** One of the assistant's tools has finished. */
export type ToolReturned = Logged & {
  turn?: string;
  tool_call_id?: string;
  id: string;
  name: string;
  content: string;
  display: string;
  is_error: boolean;
};

/** What was sent along with a person's message. */
export type ContextSent = Logged & {
  turn?: string;
  tool_call_id?: string;
  message_id: string;
  skills_folder?: string;
  indexed: number;
  skills: SentSkill[];
  instructions: string[];
  files: SentFile[];
  left_out: LeftOut[];
};

/** An unfinished answer of the model that was requested again. */
export type MessageSuperseded = Logged & {
  turn?: string;
  tool_call_id?: string;
  message_id: string;
};

export type ToolCallStarted = Logged & {
  turn?: string;
  tool_call_id?: string;
  id: string;
  title: string;
  tool_kind: string;
  status: string;
  name?: string;
  input?: Json;
  output?: Json;
  locations?: Location[];
  content?: ToolContent[];
  meta?: JsonObject;
  unasked?: boolean;
};

/** A patch: fields left out stay as they were. */
export type ToolCallChanged = Logged & {
  turn?: string;
  tool_call_id?: string;
  id: string;
  title?: string;
  tool_kind?: string;
  status?: string;
  name?: string;
  input?: Json;
  output?: Json;
  locations?: Location[];
  content?: ToolContent[];
  meta?: JsonObject;
  unasked?: boolean;
};

export type PlanMade = Logged & {
  turn?: string;
  tool_call_id?: string;
  entries: PlanEntry[];
};

export type QuestionAsked = Logged & {
  turn?: string;
  tool_call_id?: string;
  id: string;
  type: "permission" | "form" | "url" | "confirm" | "sign-in";
  title: string;
  detail: QuestionDetail;
  options: QuestionOption[];
  agent?: string;
};

export type QuestionAnswered = Logged & {
  turn?: string;
  tool_call_id?: string;
  question_id: string;
  outcome: string;
  by: "person" | "rule" | "auto" | "cancelled" | "expired";
  option_id?: string;
  where?: string;
  reason?: string;
};

/** A command runs for an agent. */
export type TerminalOpened = Logged & {
  turn?: string;
  tool_call_id?: string;
  terminal_id: string;
  command: Json;
  cwd?: string;
  takes_input?: boolean;
  tool?: string;
  told_as?: string;
};

/** A piece of a command's output. */
export type TerminalPrinted = Logged & {
  turn?: string;
  tool_call_id?: string;
  terminal_id: string;
  data: string;
  skipped?: number;
  held?: boolean;
};

/** A command ended, by itself or by a signal; if neither is known, with its agent. */
export type TerminalExited = Logged & {
  turn?: string;
  tool_call_id?: string;
  terminal_id: string;
  exit_code?: number;
  signal?: string;
};

export type AgentStatusChanged = Logged & {
  turn?: string;
  tool_call_id?: string;
  agent: string;
  status: "starting" | "connected" | "busy" | "disconnected" | "error";
  message?: string;
  hint?: string;
  sandbox?: "standard" | "strict";
};

/** Modes, models and config options of a session in one form, with their current values. */
export type OptionsChanged = Logged & {
  turn?: string;
  tool_call_id?: string;
  options: AgentOption[];
  session_name?: string;
};

export type CommandsChanged = Logged & {
  turn?: string;
  tool_call_id?: string;
  commands: AgentCommand[];
  session_name?: string;
};

export type UsageReported = Logged & {
  turn?: string;
  tool_call_id?: string;
  usage: Usage;
  session_name?: string;
};

/** Title, workspace, mode, agent, policy and the assistant's model and tools: only what changed. */
export type ChatInfoChanged = Logged & {
  turn?: string;
  tool_call_id?: string;
  title?: string;
  workspace?: string;
  mode?: string;
  agent?: string;
  policy?: string;
  counts?: string;
  meta?: JsonObject;
  model?: ChatModel;
  tools_off?: string[];
  handover?: Handover;
};

export type NoticeGiven = Logged & {
  turn?: string;
  tool_call_id?: string;
  level: "info" | "warning" | "error";
  code: string;
  text: string;
  detail?: string;
};

/** Sent exactly once for each turn. */
export type TurnEnded = Logged & {
  turn?: string;
  tool_call_id?: string;
  stop_reason: string;
  error?: TurnError;
};

export type UpdateNotUnderstood = Logged & {
  turn?: string;
  tool_call_id?: string;
  raw: Json;
};

/** Every kind of event, with its body. */
export interface Events {
  "message": MessagePosted;
  "turn-started": TurnStarted;
  "text-delta": TextSpoken;
  "thought-delta": ThoughtSpoken;
  "copilot-delta": DelegateSpoke;
  "copilot-done": DelegateDone;
  "tool-result": ToolReturned;
  "context": ContextSent;
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
