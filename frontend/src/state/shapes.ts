// What a chat looks like on the page.
//
// Lives here: the shapes the fold makes, the same as chat/transcript.py makes
// in Python. Lives elsewhere: the fold (applyEvent.ts), the events it takes
// (api/events.ts, generated), the list of chats (api/schema.ts, generated).

/** Whatever an agent may have put there: look before you use it. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** A chat as the page holds it: what is true of it now, and what is drawn, in order. */
export interface ChatState {
  id: string;
  head: Head;
  blocks: Block[];
}

/** What is true of the whole chat now. */
export interface Head {
  /** The number of the last event taken in. */
  seq: number;
  last_at: number | null;
  /** The turn that runs, if one does. */
  turn: OpenTurn | null;
  /** Messages that wait for their turn, first come first. */
  queue: QueuedMessage[];
  /** Ids of questions that wait for an answer. */
  questions: string[];
  agents: { [agent: string]: AgentStatus };
  /** By session name; `main` is the chat's own session. The next two as well. */
  options: { [session: string]: AgentOption[] };
  commands: { [session: string]: AgentCommand[] };
  usage: { [session: string]: Usage };
  title?: string;
  workspace?: string;
  mode?: "llm" | "agent";
  agent?: string;
  policy?: string;
  /** The policy that counts, where a setting is or was stronger than the chat's own. */
  counts?: string;
  meta?: JsonObject;
}

export interface OpenTurn {
  id: string;
  /** Seconds since 1970, as every `at`. */
  since: number;
  by: "assistant" | "agent";
  agent?: string;
  session_name?: string;
  /** Somebody asked it to stop. */
  stopping?: boolean;
}

export interface QueuedMessage {
  id: string;
  role: "user" | "assistant" | "agent";
  text: string;
  attachments?: JsonObject[];
  /** Only a preview came; those of earlier versions do not say which event holds the whole. */
  cut?: boolean;
  cut_at?: MessageCut;
  queued?: boolean;
  /** Goes before those that do not. */
  ahead?: boolean;
}

export interface AgentStatus {
  status: "starting" | "connected" | "busy" | "disconnected" | "error";
  message?: string;
  hint?: string;
}

/** A mode, model or config option an agent offers. */
export interface AgentOption {
  id: string;
  name: string;
  description?: string | null;
  /** `mode`, `model`, `thought_level`, `other` or a word of the agent's own. */
  category: string;
  type: "select" | "boolean";
  current?: Json;
  choices: { value: Json; name?: string; description?: string; group?: string }[];
  via: "config" | "model" | "mode";
}

/** A slash command, as ACP describes it. */
export interface AgentCommand {
  name: string;
  description?: string;
  input?: { hint?: string } | null;
}

export interface Usage {
  /** Tokens in the context window, and how many fit. */
  used?: number;
  size?: number;
  cost?: { amount?: number; currency?: string } | null;
  [more: string]: Json | undefined;
}

/** What every block has. */
interface Placed {
  /** Its place and its name within the chat: never changes, grows downward. */
  pos: number;
  at: number;
  turn?: string;
  /** The delegated call it belongs to. */
  tool_call_id?: string;
  /** Only a preview came. `size` is that of the whole, in bytes. */
  cut?: boolean;
  size?: number;
}

export interface MessageBlock extends Placed {
  kind: "message";
  id: string;
  role: "user" | "assistant" | "agent";
  text: string;
  attachments?: JsonObject[];
  cut_at?: MessageCut;
}

/** The event that holds the whole of what is here only in part; large files come without their data, marked `cut`. */
export interface MessageCut {
  text?: number;
  attachments?: number;
}

/** Streamed text; `parts` is what is not text, each after so many characters (code points) of it. */
interface Spoken extends Placed {
  message_id: string;
  text: string;
  parts?: { after: number; content: JsonObject }[];
  /** The model was asked again; this is what it had said before. */
  superseded?: boolean;
}

export interface TextBlock extends Spoken {
  kind: "text";
}

export interface ThoughtBlock extends Spoken {
  kind: "thought";
}

export interface ToolBlock extends Placed {
  kind: "tool";
  id: string;
  title: string;
  /** read, edit, delete, move, search, execute, think, fetch, switch_mode, other, or a word we do not know. */
  tool_kind: string;
  /** pending, in_progress, completed, failed, cancelled, or a word we do not know. */
  status: string;
  name?: string;
  input?: Json;
  output?: Json;
  locations: { path?: string; line?: number | null }[];
  content: ToolContent[];
  /** The event that holds the whole of each field of which only a preview is here. */
  cut_at?: { input?: number; output?: number; content?: number; locations?: number };
  meta?: JsonObject;
  /** How work that the assistant gave to an agent ended. */
  delegated?: { session_name: string; agent: string; summary: string; stop_reason: string };
  /** What a tool of the assistant's returned; `seq` is the event that holds all of it. */
  result?: { content: string; display: string; is_error: boolean; seq: number; cut?: boolean };
  /** It changed something, and nobody was asked. */
  unasked?: boolean;
}

/** What a tool call shows, as ACP sends it. Anything may be missing: agents are not careful. */
export type ToolContent =
  | { type: "content"; content?: ContentPart }
  | DiffContent
  | { type: "terminal"; terminalId?: string }
  | { type?: undefined; [more: string]: Json | undefined };

/**
 * `from_line`: the lines before are the same and not here. `cut`: a part of the change itself is not here. `whole_at`: it
 * is from an earlier event than the content beside it, and whole in that event's content at this place.
 */
export type DiffContent = {
  type: "diff";
  path?: string;
  oldText?: string | null;
  newText?: string;
  from_line?: number;
  cut?: boolean;
  whole_at?: { seq: number; item: number };
};

export interface ContentPart {
  /** text, image, audio, resource_link, resource, or a word we do not know. */
  type: string;
  text?: string;
  data?: string;
  mimeType?: string;
  uri?: string;
  name?: string;
  resource?: { uri?: string; text?: string; blob?: string; mimeType?: string };
  /** The event that holds it whole, of a large one. */
  cut_at?: number;
}

/** A command that runs, or ran, for an agent. */
export interface TerminalBlock extends Placed {
  kind: "terminal";
  terminal_id: string;
  /** A line for the shell, or a list: the program and what it is given. */
  command?: Json;
  cwd?: string;
  /** A person may type into it while it runs. */
  takes_input?: boolean;
  text: string;
  /** Bytes that are not shown; the text says where. */
  skipped?: number;
  /** The rest is shown when it ends. */
  held?: boolean;
  exit?: { exit_code?: number; signal?: string };
}

export interface PlanBlock extends Placed {
  kind: "plan";
  entries: PlanEntry[];
}

export interface PlanEntry {
  content: string;
  /** high, medium, low */
  priority: string;
  /** pending, in_progress, completed */
  status: string;
}

export interface QuestionBlock extends Placed {
  kind: "question";
  id: string;
  type: "permission" | "form" | "url" | "confirm" | "sign-in";
  title: string;
  detail: QuestionDetail;
  options: QuestionOption[];
  agent?: string;
  answer?: Answer;
}

/** Exactly what will happen; `tool` is the id of the tool call asked about. */
export interface QuestionDetail {
  tool?: string | null;
  tool_kind?: string;
  input?: Json;
  locations?: { path?: string; line?: number | null }[];
  content?: ToolContent[];
  /** The event that holds the whole of each field of which only a preview is here. */
  cut_at?: ToolBlock["cut_at"];
  /** Why this is more than everyday work. */
  caution?: string;
  [more: string]: unknown;
}

export interface QuestionOption {
  id: string;
  label: string;
  /** allow_once, allow_always, reject_once, reject_always, or a word we do not know. */
  kind: string;
}

export interface Answer {
  question_id: string;
  /** The kind of the option chosen; or `cancelled`, `expired`. */
  outcome: string;
  by: "person" | "rule" | "auto" | "cancelled" | "expired";
  option_id?: string;
  /** The device. */
  where?: string;
  reason?: string;
  at: number;
}

export interface NoticeBlock extends Placed {
  kind: "notice";
  level: "info" | "warning" | "error";
  code: string;
  text: string;
  detail?: string;
}

/** A turn that has ended. */
export interface TurnBlock extends Placed {
  kind: "turn";
  since: number;
  /** end_turn, max_tokens, max_turn_requests, refusal, cancelled, interrupted, error */
  stop_reason: string;
  error?: { message: string; hint?: string; [more: string]: unknown };
}

export interface UnknownBlock extends Placed {
  kind: "unknown";
  raw: Json;
}

export type Block =
  | MessageBlock
  | TextBlock
  | ThoughtBlock
  | ToolBlock
  | TerminalBlock
  | PlanBlock
  | QuestionBlock
  | NoticeBlock
  | TurnBlock
  | UnknownBlock;

export type BlockKind = Block["kind"];
export type BlockOf<K extends BlockKind> = Extract<Block, { kind: K }>;

export function newHead(): Head {
  return {
    seq: 0,
    last_at: null,
    turn: null,
    queue: [],
    questions: [],
    agents: {},
    options: {},
    commands: {},
    usage: {},
  };
}
