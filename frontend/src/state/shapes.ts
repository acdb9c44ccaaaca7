// Generated from chat/head_shapes.py and chat/shapes.py by `make types`; do not edit.

/** JSON from an agent: check it before you use it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json | undefined };

/** The turn that is running. */
export type OpenTurn = {
  id: string;
  /** Seconds since 1970, like every `at`. */
  since: number;
  by: "assistant" | "agent";
  agent?: string;
  session_name?: string;
  /** Someone asked it to stop. */
  stopping?: boolean;
};

/** The events that hold the whole message if only part of it is here. Large files come without their data, marked `cut`. */
export type MessageCut = {
  text?: number;
  attachments?: number;
};

/** A message that waits for its turn. */
export type QueuedMessage = {
  id: string;
  role: "user" | "assistant" | "agent";
  text: string;
  attachments?: JsonObject[];
  /** Only a preview is here. In logs of earlier versions `cut_at` is missing. */
  cut?: boolean;
  cut_at?: MessageCut;
  queued?: boolean;
  /** Runs before messages without this mark. */
  ahead?: boolean;
  /** Who gets it, if the chat is with another agent by now; empty for the assistant. */
  to?: string;
  handover?: string;
  size?: number;
};

/** Whether an agent is running. */
export type AgentStatus = {
  status: "starting" | "connected" | "busy" | "disconnected" | "error";
  message?: string;
  hint?: string;
  /** The sandbox its process runs in, if any. */
  sandbox?: "standard" | "strict";
};

/** One value of an option. */
export type OptionChoice = {
  value: Json;
  name?: string;
  description?: string;
  group?: string;
};

/** A mode, model or config option of an agent. */
export type AgentOption = {
  id: string;
  name: string;
  description?: string | null;
  /** `mode`, `model`, `thought_level`, `other` or the agent's own word. */
  category: string;
  type: "select" | "boolean";
  current?: Json;
  choices: OptionChoice[];
  via: "config" | "model" | "mode";
};

/** The argument of a slash command. */
export type CommandInput = {
  hint?: string;
};

/** A slash command, as ACP describes it. */
export type AgentCommand = {
  name: string;
  description?: string;
  input?: CommandInput | null;
};

/** What a session has cost so far. */
export type Cost = {
  amount?: number;
  currency?: string;
};

/** How full the context window is, and the cost. */
export type Usage = {
  /** Tokens in the context window. */
  used?: number;
  /** Tokens that fit into it. */
  size?: number;
  cost?: Cost | null;
  [more: string]: Json | undefined;
};

/** A model chosen for the assistant in one chat; empty if the settings decide. */
export type ChatModel = {
  /** It applies only while the settings use this provider. */
  provider?: string;
  name?: string;
};

/** What the next message takes along for the one who answers it; empty if nothing. */
export type Handover = {
  text?: string;
  /** A person has changed it, so it stays as it is. */
  edited?: boolean;
  /** A person does not want it sent. */
  left_out?: boolean;
};

/** The current state of the whole chat. */
export type Head = {
  /** The number of the last event that was folded. */
  seq: number;
  last_at: number | null;
  turn: OpenTurn | null;
  /** Messages that wait for their turn, in order. */
  queue: QueuedMessage[];
  /** Ids of questions that wait for an answer. */
  questions: string[];
  /** By agent. */
  agents: { [name: string]: AgentStatus };
  /** By session name, like the next two; `main` is the chat's own session. */
  options: { [name: string]: AgentOption[] };
  commands: { [name: string]: AgentCommand[] };
  usage: { [name: string]: Usage };
  title?: string;
  workspace?: string;
  mode?: "llm" | "agent";
  agent?: string;
  policy?: string;
  /** The policy in effect, if a setting is or was stricter than the chat's own. */
  counts?: string;
  meta?: JsonObject;
  model?: ChatModel;
  /** The assistant's tools that are switched off. */
  tools_off?: string[];
  handover?: Handover;
};

/** A skill that was sent in full. */
export type SentSkill = {
  id: string;
  name: string;
  path: string;
  why: "always" | "chosen";
};

/** A file that was sent with a message. */
export type SentFile = {
  path: string;
  how: "embedded" | "linked" | "text" | "image" | "audio";
  bytes: number;
  /** The first and the last, if not the whole file. */
  lines?: number[];
};

/** Something that could not be sent with a message. */
export type LeftOut = {
  what: string;
  why: string;
};

/** What was sent along with a message. */
export type SentContext = {
  skills_folder?: string;
  /** How many skills the index names. */
  indexed: number;
  skills: SentSkill[];
  instructions: string[];
  files: SentFile[];
  left_out: LeftOut[];
};

/** The fields of every block. */
export type Placed = {
  /** Its position and its id within the chat. Never changes; later blocks have higher numbers. */
  pos: number;
  at: number;
  turn?: string;
  /** The delegated call it belongs to. */
  tool_call_id?: string;
  /** Only a preview is here. */
  cut?: boolean;
  /** Bytes of the whole, if only a preview is here. */
  size?: number;
};

/** A message that was sent. */
export type MessageBlock = Placed & {
  kind: "message";
  id: string;
  role: "user" | "assistant" | "agent";
  text: string;
  attachments?: JsonObject[];
  /** Sent along with it: what others did in this chat. */
  handover?: string;
  cut_at?: MessageCut;
  context?: SentContext;
};

/** Where the whole of a diff is: an event, and an index in its content. */
export type WholeAt = {
  seq: number;
  item: number;
};

/** A change to a file. */
export type DiffContent = {
  type: "diff";
  path?: string | null;
  oldText?: string | null;
  newText?: string;
  /** The lines before this one are unchanged and left out. */
  from_line?: number;
  /** Part of the change itself is left out. */
  cut?: boolean;
  /** Set if it comes from an earlier event than the content around it. */
  whole_at?: WholeAt;
};

/** A file inside a content part. */
export type Resource = {
  uri?: string;
  text?: string;
  blob?: string;
  mimeType?: string;
};

/** A piece of content, as ACP sends it. */
export type ContentPart = {
  /** text, image, audio, resource_link, resource, or an unknown word. */
  type: string;
  text?: string;
  data?: string;
  mimeType?: string;
  uri?: string;
  name?: string;
  resource?: Resource;
  /** The event that holds the whole of a large part. */
  cut_at?: number;
};

/** Content other than text within streamed text. */
export type SpokenPart = {
  /** Code points of text before it. */
  after: number;
  content: ContentPart;
};

/** Streamed text. */
export type Spoken = Placed & {
  message_id: string;
  text: string;
  parts?: SpokenPart[];
  /** The model was asked again; this is the earlier, unfinished answer. */
  superseded?: boolean;
};

/** Text of an agent or the assistant. */
export type TextBlock = Spoken & {
  kind: "text";
};

/** Reasoning of an agent or the assistant. */
export type ThoughtBlock = Spoken & {
  kind: "thought";
};

/** A content part of a tool call. */
export type PartContent = {
  type: "content";
  content?: ContentPart;
};

/** A terminal of a tool call. */
export type TerminalContent = {
  type: "terminal";
  terminalId?: string;
};

/** A file that a tool call works on. */
export type Location = {
  path?: string;
  line?: number | null;
};

/** The events that hold the whole of each field of which only a preview is here. */
export type ToolCut = {
  input?: number;
  output?: number;
  content?: number;
  locations?: number;
};

/** How work that the assistant gave to an agent ended. */
export type Delegated = {
  session_name: string;
  agent: string;
  summary: string;
  stop_reason: string;
};

/** What a tool of the assistant returned. */
export type ToolResult = {
  content: string;
  display: string;
  is_error: boolean;
  /** The event that holds all of it. */
  seq: number;
  cut?: boolean;
  size?: number;
};

/** A tool call. */
export type ToolBlock = Placed & {
  kind: "tool";
  id: string;
  title: string;
  /** read, edit, delete, move, search, execute, think, fetch, switch_mode, other, or an unknown word. */
  tool_kind: string;
  /** pending, in_progress, completed, failed, cancelled, or an unknown word. */
  status: string;
  name?: string;
  input?: Json;
  output?: Json;
  locations: Location[];
  content: ToolContent[];
  /** Known from updates or a question only: the call itself has not arrived yet. */
  early?: boolean | "proposed";
  cut_at?: ToolCut;
  meta?: JsonObject;
  delegated?: Delegated;
  result?: ToolResult;
  /** It changed something without anyone being asked. */
  unasked?: boolean;
};

/** How a command ended. */
export type Exit = {
  exit_code?: number;
  signal?: string;
};

/** A command that runs or ran for an agent. */
export type TerminalBlock = Placed & {
  kind: "terminal";
  terminal_id: string;
  /** A line for the shell, or a list: the program and its arguments. */
  command?: Json;
  cwd?: string;
  /** A person may type into it while it runs. */
  takes_input?: boolean;
  text: string;
  /** Bytes that are not shown; the text says where. */
  skipped?: number;
  /** The rest is shown when it ends. */
  held?: boolean;
  exit?: Exit;
  /** The tool call of an agent that runs it itself. */
  tool?: string;
  /** The agent's name for it, if another terminal already had that name. */
  told_as?: string;
};

/** One step of a plan. */
export type PlanEntry = {
  content: string;
  /** high, medium, low */
  priority: string;
  /** pending, in_progress, completed */
  status: string;
};

/** The agent's plan for a turn. */
export type PlanBlock = Placed & {
  kind: "plan";
  entries: PlanEntry[];
};

/** Exactly what will happen. */
export type QuestionDetail = {
  /** The id of the tool call in question. */
  tool?: string | null;
  tool_kind?: string;
  input?: Json;
  locations?: Location[];
  content?: ToolContent[];
  cut_at?: ToolCut;
  /** Why this is more than everyday work. */
  caution?: string;
  /** Why only a person can approve it; not a warning. */
  unclear?: string;
  [more: string]: Json | undefined;
};

/** One way to answer a question. */
export type QuestionOption = {
  id: string;
  label: string;
  /** allow_once, allow_always, reject_once, reject_always, or an unknown word. */
  kind: string;
};

/** How a question was answered. */
export type Answer = {
  question_id: string;
  /** The kind of the chosen option, or `cancelled` or `expired`. */
  outcome: string;
  by: "person" | "rule" | "auto" | "cancelled" | "expired";
  option_id?: string;
  /** The device. */
  where?: string;
  reason?: string;
  at: number;
};

/** A question to a person. */
export type QuestionBlock = Placed & {
  kind: "question";
  id: string;
  type: "permission" | "form" | "url" | "confirm" | "sign-in";
  title: string;
  detail: QuestionDetail;
  options: QuestionOption[];
  agent?: string;
  answer?: Answer;
};

/** A note from the server. */
export type NoticeBlock = Placed & {
  kind: "notice";
  level: "info" | "warning" | "error";
  code: string;
  text: string;
  detail?: string;
};

/** Why a turn failed. */
export type TurnError = {
  message: string;
  hint?: string;
  [more: string]: Json | undefined;
};

/** A turn that has ended. */
export type TurnBlock = Placed & {
  kind: "turn";
  since: number;
  /** end_turn, max_tokens, max_turn_requests, refusal, cancelled, interrupted, error */
  stop_reason: string;
  error?: TurnError;
};

/** An event that could not be folded. */
export type UnknownBlock = Placed & {
  kind: "unknown";
  raw: Json;
  /** Its kind is known, but it lacks what events of that kind have. */
  broken?: boolean;
};

/** What a tool call shows, as ACP sends it. Any field may be missing: agents are careless. */
export type ToolContent = PartContent | DiffContent | TerminalContent | UnknownContent;
type UnknownContent = { type?: undefined; [more: string]: Json | undefined };

export type Block = MessageBlock | TextBlock | ThoughtBlock | ToolBlock | TerminalBlock | PlanBlock | QuestionBlock | NoticeBlock | TurnBlock | UnknownBlock;
export type BlockKind = Block["kind"];
export type BlockOf<K extends BlockKind> = Extract<Block, { kind: K }>;

/** A chat as the page holds it. */
export type ChatState = { id: string; head: Head; blocks: Block[] };
