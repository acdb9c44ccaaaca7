// What the gallery shows, by the name after `#`: chat, odd, delegated, delegated-asks, delegated-done, assistant, terminal, edit, sneaky, form, url, empty, loading, gone, long,
// sign-in-agent, sign-in-again, sign-in-terminal, trust, context, many, crashed, error, restoring, auto, agent-details,
// settings, settings-edit, settings-add, settings-test, settings-permissions, settings-assistant, settings-appearance, settings-devices, settings-diagnostics, settings-link, settings-pending,
// mention, mention-none, mention-loading, mention-error, commands, chips, suggested, sent, context-error,
// settings-skills, settings-skills-none, settings-skills-loading, settings-skills-error, settings-skills-many, settings-instructions,
// history, history-none, history-refused,
// attacks, attacks-2, stream, new, welcome, welcome-none, sign-in, expired, home, offline, reconnecting.

import { newHead } from "../src/state/chats/applyEvent";
import type { Block, ChatState } from "../src/state/shapes";
import type {
  AgentInfo,
  AssistantInfo,
  ChatInfo,
  ChatList,
  CheckStep,
  Connection,
  AgentProcesses,
  Decision,
  FrameInfo,
  DeviceInfo,
  Outgoing,
  PastSession,
  Route,
  Session,
  SettingsInfo,
} from "../src/state";
import { ATTACKS } from "../src/markdown/attacks.fixture";
import * as made from "./fixtures";

export interface Scene {
  name: string;
  route: Route;
  chat: ChatState;
  older: Block[];
  phase: "loading" | "ready" | "gone";
  chats: ChatList;
  agents: AgentInfo[] | undefined;
  connection: Connection;
  session: Session;
  outbox: Outgoing[];
  settings: SettingsInfo | undefined;
  devices: DeviceInfo[];
  decisions: Decision[];
  diagnostics: AgentProcesses;
  frames: { frames: FrameInfo[]; is_whole: boolean };
  report: string;
  steps: CheckStep[];
  sessions: PastSession[];
  assistant: AssistantInfo;
}

const ID = "a1";
const name = location.hash.slice(1) || "chat";

function agent(id: string, display_name: string, found: string | null, install_hint: string, more: Partial<AgentInfo> = {}): AgentInfo {
  return {
    id, display_name, command: id, args: [], env: {}, pass_env: [], tcp: "", allow_remote: false, fs: true, terminal: true,
    found, version: null, minimum_version: "", version_ok: null, version_args: [], install_hint, login_hint: "", sandbox: "off" as const, sandbox_network: true, sandbox_writable: [], sandbox_readable: [],
    known: true, changed: false, fixed: [], seen: null, ...more,
  };
}

const SEEN: AgentInfo["seen"] = {
  name: "Claude Code", version: "0.11.0", at: made.NOW - 600,
  can: ["loads past sessions", "accepts images", "accepts embedded files", "lists sessions", "forks sessions", "supports HTTP MCP servers"],
  capabilities: { loadSession: true, sessionCapabilities: { list: {}, resume: {} } },
};

const AGENTS = [
  agent("claude", "Claude Code", "/home/ada/.local/bin/claude-agent-acp", "npm install -g @agentclientprotocol/claude-agent-acp", {
    version: "0.11.0", minimum_version: "0.8.0", version_ok: true, seen: SEEN, pass_env: ["ANTHROPIC_API_KEY"],
  }),
  agent("copilot", "GitHub Copilot", "/usr/local/bin/copilot", "npm install -g @github/copilot", {
    version: "0.0.390", minimum_version: "0.0.400", version_ok: false, args: ["--acp", "--stdio"], changed: true,
    env: { GH_TOKEN: "••••••••", COPILOT_MODEL: "gpt-5" },
  }),
  agent("codex", "Codex", null, "npm install -g @agentclientprotocol/codex-acp"),
  agent("opencode", "OpenCode", null, "npm install -g opencode-ai"),
  agent("demo", "Demo agent", "/usr/local/bin/voxpilot", ""),
];

function info(id: string, title: string, status: ChatInfo["status"], before: number, more: Partial<ChatInfo> = {}): ChatInfo {
  return {
    id,
    title,
    workspace: "/home/ada/projects/shop",
    mode: "agent",
    agent: "claude",
    policy: "ask",
    name: null,
    created_at: made.NOW - 9999,
    updated_at: made.NOW - before,
    last_seq: 10,
    running: status === "working",
    queued: 0,
    needs_you: status === "needs-you" ? 1 : 0,
    last_turn: status === "failed" ? "failed" : "done",
    status,
    ...more,
  };
}

const LIST = [
  info(ID, "Sessions live too long after a renewal", "needs-you", 10),
  info("a2", "Sort out the payment retries", "needs-you", 240, { workspace: "/home/ada/projects/billing", agent: "copilot" }),
  info("a3", "Move the catalogue to the new search index", "working", 30, { queued: 2 }),
  info("a4", "Write the changelog for 1.4", "ready", 900),
  info("a5", "Why is the cart test flaky?", "ready", 5400, { workspace: "/home/ada/projects/shop-front", agent: "codex" }),
  info("a6", "Upgrade to Python 3.13", "failed", 7200),
  ...["Rename the currency helper", "Redesign the login page", "Explain the tax rules", "Clean up the fixtures"].map((title, n) =>
    info(`b${n}`, title, "ready", 90_000 * (n + 1), { last_seq: 0 }),
  ),
];

const OPTIONS: ChatState["head"]["options"] = {
  main: [
    { id: "mode", name: "Mode", category: "mode", type: "select", via: "config", current: "default", choices: [{ value: "default", name: "Always ask" }, { value: "plan", name: "Plan only" }, { value: "edits", name: "Accept edits" }] },
    { id: "model", name: "Model", category: "model", type: "select", via: "config", current: "big", choices: [{ value: "big", name: "Opus", group: "Large" }, { value: "mid", name: "Sonnet", group: "Everyday" }, { value: "low", name: "Haiku", group: "Everyday" }] },
    { id: "web", name: "Search the web", category: "other", type: "boolean", via: "config", current: true, choices: [] },
  ],
};

function chatOf(blocks: Block[], head: Partial<ChatState["head"]> = {}): ChatState {
  const asked = blocks.filter((one) => one.kind === "question" && !one.answer).map((one) => (one as { id: string }).id);
  return {
    id: ID,
    blocks,
    head: {
      ...newHead(),
      seq: 10,
      last_at: made.NOW,
      title: "Sessions live too long after a renewal",
      workspace: "/home/ada/projects/shop",
      agent: "claude",
      policy: "ask",
      options: OPTIONS,
      usage: { main: { used: 46_000, size: 200_000, cost: { amount: 0.42, currency: "USD" } } },
      agents: { claude: { status: "connected" } },
      commands: {
        main: [
          { name: "review", description: "Review the changes on this branch" },
          { name: "release", description: "Write release notes and set the version" },
          { name: "compact", description: "Summarise the conversation so far" },
        ],
      },
      questions: asked,
      turn: asked.length > 0 ? { id: "t1", since: made.NOW - 60, by: "agent", agent: "claude" } : null,
      ...head,
    },
  };
}

const RUNNING = { turn: { id: "t1", since: made.NOW - 60, by: "agent" as const, agent: "claude" }, questions: [] };
const ASSISTED = { ...RUNNING, mode: "llm" as const, agent: "copilot", policy: "auto", agents: {}, turn: { id: "t1", since: made.NOW - 60, by: "assistant" as const } };
const QUEUE = [
  { id: "w1", role: "user" as const, text: "Then update the changelog." },
  { id: "w2", role: "user" as const, text: "Finally open a pull request against main, with a short description of what changed and why it changed." },
];

function theChat(): ChatState {
  switch (name) {
    case "odd":
      return chatOf(made.oddTurn());
    case "busy":
      return chatOf([...made.goodTurn(), ...made.runningTurn().slice(0, -1)], { ...RUNNING, queue: QUEUE, agents: { claude: { status: "busy" } } });
    case "delegated":
      return chatOf(made.delegatedTurn(), ASSISTED);
    case "delegated-asks":
      return chatOf([...made.delegatedTurn(), made.delegatedQuestion()], { ...ASSISTED, questions: ["dq"] });
    case "delegated-done":
      return chatOf(made.delegatedDone(), { ...ASSISTED, turn: null });
    case "assistant":
      return chatOf([], { ...ASSISTED, title: "", agents: {}, turn: null });
    case "terminal":
      return chatOf(made.terminalTurn(), RUNNING);
    case "edit":
      return chatOf([...made.goodTurn(), made.editQuestion()]);
    case "sneaky":
      return chatOf([...made.goodTurn(), made.sneakyQuestion(), made.editQuestion()]);
    case "crowded":
      return chatOf([...made.goodTurn(), made.crowdedQuestion()]);
    case "form":
      return chatOf([...made.goodTurn(), made.formQuestion()]);
    case "url":
      return chatOf([...made.goodTurn(), made.urlQuestion()]);
    case "sign-in-agent":
      return chatOf([...made.goodTurn(), made.signInQuestion()]);
    case "sign-in-terminal":
      return chatOf(made.signInTerminal());
    case "sign-in-again":
      return chatOf([...made.goodTurn(), made.signInQuestion("the browser was closed before sign-in finished.")]);
    case "trust":
      return chatOf([made.block(20, { kind: "message", id: "m", role: "user", text: "Hello" }), made.trustQuestion()]);
    case "context":
      return chatOf([...made.brokenTurn().slice(4, 5), made.contextQuestion()]);
    case "many":
      return chatOf([...made.goodTurn(), ...Array.from({ length: 50 }, () => made.question())]);
    case "crashed":
      return chatOf(made.brokenTurn(), { agents: { claude: { status: "error", message: "Claude Code crashed (signal 11, SIGSEGV)." } } });
    case "restoring":
      return chatOf(made.goodTurn(), { agents: { claude: { status: "connected", message: "Restoring the Claude Code session." } } });
    case "auto":
      return chatOf(made.goodTurn(), { policy: "auto" });
    case "done":
      return chatOf(made.goodTurn());
    case "error":
      return chatOf(made.goodTurn().slice(0, 1), { agents: { claude: { status: "error", message: "Could not start claude-agent-acp: no such program.", hint: "npm install -g @agentclientprotocol/claude-agent-acp" } } });
    case "mention":
    case "mention-none":
    case "mention-loading":
    case "mention-error":
    case "commands":
    case "chips":
    case "suggested":
    case "context-error":
      return chatOf(made.goodTurn());
    case "sent":
      return chatOf([...made.goodTurn(), made.sentMessage()]);
    case "attacks":
      return chatOf(ATTACKS.slice(0, 200).flatMap(made.attacked), RUNNING);
    case "attacks-2":
      return chatOf(ATTACKS.slice(200).flatMap(made.attacked), RUNNING);
    case "empty":
      return chatOf([], { title: "", agents: {} });
    case "long":
      return chatOf([...made.goodTurn(), ...made.goodTurn()]);
    case "stream":
      return chatOf([made.block(2, { kind: "message", id: "m", role: "user", text: "Go" })], RUNNING);
    default:
      return chatOf([...made.goodTurn(), ...made.runningTurn()]);
  }
}

const isOther = name.startsWith("settings") || name.startsWith("history");
const isChat = !isOther && !["new", "welcome", "welcome-none", "sign-in", "expired", "home"].includes(name);

export const scene: Scene = {
  name,
  route: name.startsWith("settings")
    ? { page: "settings", section: { "settings-permissions": "permissions", "settings-assistant": "assistant", "settings-devices": "devices", "settings-link": "devices", "settings-appearance": "appearance", "settings-instructions": "instructions", "settings-diagnostics": "diagnostics" }[name] ?? (name.startsWith("settings-skills") ? "skills" : "agents") }
    : name.startsWith("history")
    ? { page: "history", agent: "claude" }
    : isChat ? { page: "chat", id: ID } : name === "new" ? { page: "new" } : { page: "home" },
  chat: theChat(),
  older: name === "long" ? Array.from({ length: 60 }, () => made.goodTurn()).flat() : [],
  phase: name === "loading" ? "loading" : name === "gone" ? "gone" : "ready",
  chats: {
    list: name.startsWith("welcome") ? [] : LIST,
    isLoaded: name !== "loading",
    hasAny: !name.startsWith("welcome"),
    hasMore: false,
    needsYou: name.startsWith("welcome") ? 0 : 2,
  },
  agents: name === "welcome-none" ? AGENTS.map((one) => (one.id === "demo" ? one : { ...one, found: null })) : AGENTS,
  connection: {
    state: name === "offline" || name === "reconnecting" ? name : "live",
    newVersion: name === "version" ? "0.2.0" : undefined,
  },
  session: {
    state: name === "sign-in" || name === "expired" ? "signed-out" : "signed-in",
    problem:
      name === "expired"
        ? ({ message: "This link has expired or was already used.", hint: "Run voxpilot link to get a new one." } as never)
        : undefined,
    device: "Chrome on Linux",
    isConfirmed: name !== "unconfirmed",
  },
  settings: name === "settings-pending" ? { ...made.SETTINGS, pending: made.PENDING } : made.SETTINGS,
  devices: made.DEVICES,
  decisions: made.DECISIONS,
  diagnostics: made.DIAGNOSTICS,
  frames: made.FRAMES,
  report: "VoxPilot report\nVoxPilot 0.1.0, Python 3.13, Linux\n\nAgent claude: claude-agent-acp\nState: ready\n",
  steps: made.STEPS,
  sessions: made.SESSIONS,
  assistant: {
    chosen: name === "assistant-none" ? null : { provider: "openai", model: "gpt-5.4" },
    problem: name === "assistant-none" ? { message: "OpenAI needs an API key.", hint: "Add one in settings, or set OPENAI_API_KEY." } : null,
    tools: [
      { name: "copilot_agent", description: "Hand a coding task to an agent." },
      { name: "read_file", description: "Read a text file in the workspace, or some of its lines." },
      { name: "grep_search", description: "Search the workspace's files for lines that match a pattern." },
    ],
    providers: [
      { id: "openai", name: "OpenAI", needs_key: true, model: "gpt-5.4" },
      { id: "anthropic", name: "Anthropic", needs_key: true, model: "claude" },
      { id: "ollama", name: "Ollama", needs_key: false, model: "" },
      { id: "demo", name: "Demo model", needs_key: false, model: "demo" },
    ],
  },
  outbox:
    name === "offline"
      ? [{ key: "k", chat: ID, text: "And please look at the cart as well.", at: Date.now(), state: "waiting" }]
      : [],
};
