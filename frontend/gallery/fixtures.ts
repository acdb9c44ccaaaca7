// Sample blocks, one of every kind and in every state worth looking at.

import type { AgentProcesses, Block, CheckStep, Decision, DeviceInfo, FrameInfo, PastSession, SentContext, SettingsInfo, ToolContent } from "../src/state";

export const NOW = Math.floor(Date.now() / 1000);
const WORKSPACE = "/home/ada/projects/shop";
let pos = 0;

type Loose = Record<string, unknown> & { kind: Block["kind"] };

/** A block some seconds before now. */
export function block(before: number, fields: Loose): Block {
  pos += 1;
  return { pos, at: NOW - before, turn: "t1", ...fields } as unknown as Block;
}

export function tool(before: number, tool_kind: string, title: string, more: Record<string, unknown> = {}): Block {
  return block(before, {
    kind: "tool",
    id: `call-${pos}`,
    title,
    tool_kind,
    status: "completed",
    locations: [],
    content: [],
    ...more,
  });
}

export const at = (path: string) => `${WORKSPACE}/${path}`;
export const said = (text: string): ToolContent => ({ type: "content", content: { type: "text", text } });

const OLD_AUTH = `import time
from dataclasses import dataclass

from shop.clock import Clock
from shop.errors import SessionExpired


@dataclass
class Session:
    user: str
    expires_at: float

    def is_valid(self) -> bool:
        return self.expires_at > time.time()


class Sessions:
    """Who is signed in."""

    def __init__(self, lifetime: float = 3600) -> None:
        self._lifetime = lifetime
        self._open: dict[str, Session] = {}

    def renew(self, token: str) -> Session:
        session = self._open[token]
        if not session.is_valid():
            raise SessionExpired(token)
        session.expires_at = time.time() + 3600
        return session
`;
const NEW_AUTH = OLD_AUTH.replace("import time\n", "")
  .replace("    def is_valid(self) -> bool:\n        return self.expires_at > time.time()", "    def is_valid(self, now: float) -> bool:\n        return self.expires_at > now")
  .replace("lifetime: float = 3600) -> None:", "clock: Clock, lifetime: float = 3600) -> None:\n        self._clock = clock")
  .replace("if not session.is_valid():", "if not session.is_valid(self._clock.now()):")
  .replace("session.expires_at = time.time() + 3600", "session.expires_at = self._clock.now() + self._lifetime");

export const authDiff: ToolContent = { type: "diff", path: at("shop/auth/sessions.py"), oldText: OLD_AUTH, newText: NEW_AUTH };
export const newFile: ToolContent = {
  type: "diff",
  path: at("tests/test_sessions.py"),
  oldText: null,
  newText: `from shop.auth.sessions import Sessions
from shop.clock import FixedClock


def test_a_renewed_session_lives_for_its_own_lifetime() -> None:
    clock = FixedClock(1000)
    sessions = Sessions(clock, lifetime=60)
    token = sessions.begin("ada")
    clock.advance(59)
    assert sessions.renew(token).expires_at == 1119
`,
};

const TEST_OUTPUT = `\u001b[1m============================= test session starts ==============================\u001b[0m
collected 42 items

tests/test_cart.py \u001b[32m..........\u001b[0m\u001b[32m                                            [ 23%]\u001b[0m
tests/test_sessions.py \u001b[32m....\u001b[0m\u001b[31mF\u001b[0m\u001b[32m...\u001b[0m\u001b[31m                                        [ 42%]\u001b[0m

=================================== FAILURES ===================================
\u001b[31m\u001b[1m__________ test_an_expired_session_cannot_be_renewed ___________\u001b[0m

    \u001b[94mdef\u001b[39;49;00m \u001b[92mtest_an_expired_session_cannot_be_renewed\u001b[39;49;00m():
>       sessions.renew(token)
\u001b[1m\u001b[31mE       KeyError: 'tok-1'\u001b[0m

\u001b[31m==================== \u001b[31m\u001b[1m1 failed\u001b[0m, \u001b[32m41 passed\u001b[0m\u001b[31m in 1.84s\u001b[0m\u001b[31m =====================\u001b[0m
`;

const ANSWER = `I found it. \`Sessions.renew\` always adds **3600 seconds**, whatever lifetime the shop was configured with, and it reads the
wall clock directly, which is why the test missed it.

What I changed:

1. \`Sessions\` takes a \`Clock\`, so time can be given in tests.
2. \`renew\` adds the configured lifetime.
3. There is a test for both.

\`\`\`python
def renew(self, token: str) -> Session:
    session = self._open[token]
    if not session.is_valid(self._clock.now()):
        raise SessionExpired(token)
    session.expires_at = self._clock.now() + self._lifetime  # was: + 3600
    return session
\`\`\`

| place | before | after | seconds |
|---|---|:-:|--:|
| \`begin\` | wall clock | clock | 3600 |
| \`renew\` | wall clock + constant | clock + lifetime | as configured |

See [the notes on sliding expiration](https://cheatsheetseries.owasp.org/cheatsheets/Session_Management_Cheat_Sheet.html) for
why a renewed session should not live longer than a new one. The line itself is [sessions.py:27](shop/auth/sessions.py:27).
`;

export const PLAN = [
  { content: "Find where sessions are renewed", priority: "medium", status: "completed" },
  { content: "Give sessions a clock and use the configured lifetime", priority: "medium", status: "completed" },
  { content: "Write a test that fails without the change", priority: "high", status: "in_progress" },
  { content: "Run the whole suite", priority: "medium", status: "pending" },
];

/** A turn that went well. */
export function goodTurn(): Block[] {
  return [
    block(190, { kind: "message", id: "m1", role: "user", text: "Sessions of signed-in users live too long after a renewal. Find out why, fix it, and add a test.", turn: "t0" }),
    block(188, { kind: "thought", message_id: "th1", turn: "t0", text: "The user says sessions live too long after renewal. I should look at `Sessions.renew` first, then at where the lifetime is configured." }),
    tool(176, "search", "Search for 'expires_at'", { turn: "t0", input: { pattern: "expires_at" }, content: [said("shop/auth/sessions.py:10\nshop/auth/sessions.py:27\n")] }),
    tool(175, "read", "Read sessions.py", { turn: "t0", locations: [{ path: at("shop/auth/sessions.py"), line: 1 }], content: [said("```\n" + OLD_AUTH + "```")] }),
    tool(172, "read", "Read clock.py", { turn: "t0", locations: [{ path: at("shop/clock.py") }] }),
    tool(171, "read", "Read settings.py", { turn: "t0", locations: [{ path: at("shop/settings.py") }] }),
    tool(168, "execute", "git log --oneline -5 -- shop/auth", { turn: "t0", input: { command: "git log --oneline -5 -- shop/auth", cwd: WORKSPACE }, content: [said("8f1c2aa Renew sessions on use\n02bd9e1 Add sessions\n")] }),
    tool(150, "edit", "Edit sessions.py", { turn: "t0", locations: [{ path: at("shop/auth/sessions.py") }], content: [authDiff] }),
    tool(140, "edit", "Write test_sessions.py", { turn: "t0", unasked: true, locations: [{ path: at("tests/test_sessions.py") }], content: [newFile] }),
    block(133, {
      kind: "question",
      id: "q0",
      turn: "t0",
      type: "permission",
      title: "python -m pytest -q",
      detail: { tool: "x", tool_kind: "execute", input: { command: "python -m pytest -q" } },
      options: [{ id: "once", label: "Yes", kind: "allow_once" }],
      agent: "claude",
      answer: { question_id: "q0", outcome: "allow_once", by: "person", option_id: "once", where: "Phone", at: NOW - 130 },
    }),
    tool(129, "execute", "python -m pytest -q", { turn: "t0", status: "failed", input: { command: "python -m pytest -q", cwd: WORKSPACE }, content: [said(TEST_OUTPUT)], output: { exitCode: 1, message: "The command exited with status 1." } }),
    block(120, { kind: "text", message_id: "a1", turn: "t0", text: ANSWER }),
    block(118, { kind: "turn", turn: "t0", since: NOW - 189, stop_reason: "end_turn" }),
  ];
}

/** A turn that runs and waits for an answer. */
export function runningTurn(): Block[] {
  return [
    block(60, { kind: "message", id: "m2", role: "user", text: "Good. Now run the whole suite, and tidy up the imports while you are at it." }),
    block(58, { kind: "plan", entries: PLAN }),
    tool(55, "read", "Read pyproject.toml", { locations: [{ path: at("pyproject.toml") }] }),
    tool(54, "execute", "ruff check --select I .", { input: { command: "ruff check --select I ." }, content: [said("Found 3 errors.\n")] }),
    block(40, { kind: "text", message_id: "a2", text: "Three files have imports out of order. I will let `ruff` sort them, then run the suite." }),
    tool(12, "execute", "ruff check --select I --fix . && python -m pytest -q", { id: "call-wait", status: "pending", input: { command: "ruff check --select I --fix . && python -m pytest -q", cwd: WORKSPACE } }),
    question(),
  ];
}

const SENT: SentContext = {
  skills_folder: `${WORKSPACE}/copilot-skills`, indexed: 6,
  skills: [{ id: "house-style", name: "house-style", path: "house-style.md", why: "always" }, { id: "deploy", name: "deploy", path: "deploy.md", why: "chosen" }],
  instructions: ["personal", "AGENTS.md"],
  files: [
    { path: "shop/auth/sessions.py", how: "embedded", bytes: 1430, lines: [10, 20] },
    { path: "docs/price-list.csv", how: "linked", bytes: 1_430_000 },
    { path: "diagram.png", how: "image", bytes: 84_000 },
  ],
  left_out: [{ what: "docs/old.md", why: "could not be read: no such file" }],
};

/** A message with references, and what was sent along with it. */
export function sentMessage(): Block {
  return block(30, {
    kind: "message", id: "m10", role: "user", text: "Does @shop/auth/sessions.py:10-20 follow this rule?",
    attachments: [
      { type: "file", path: "shop/auth/sessions.py", lines: [10, 20] },
      { type: "quote", text: "A session that is renewed must not live longer than a new one.\n\nTake the time from one clock.", source: "https://cheatsheetseries.owasp.org/a" },
      { type: "skill", id: "deploy", name: "deploy" },
      { type: "chat", id: "a2", title: "Sort out the payment retries, and explain in the changelog why they were retried" },
    ],
    context: SENT,
  });
}

export function question(more: Record<string, unknown> = {}): Block {
  return block(10, {
    kind: "question",
    id: `q-${pos}`,
    type: "permission",
    title: "Sort imports and run the tests",
    detail: {
      tool: "call-wait",
      tool_kind: "execute",
      input: { command: "ruff check --select I --fix . && python -m pytest -q", cwd: WORKSPACE, description: "Sort imports and run the tests" },
    },
    options: [
      { id: "once", label: "Yes", kind: "allow_once" },
      { id: "always", label: "Yes, and don't ask again for ruff check commands", kind: "allow_always" },
      { id: "no", label: "No", kind: "reject_once" },
    ],
    agent: "claude",
    ...more,
  });
}

export const editQuestion = () =>
  question({
    title: "Edit sessions.py",
    detail: { tool: "call-e", tool_kind: "edit", input: { file_path: at("shop/auth/sessions.py") }, locations: [{ path: at("shop/auth/sessions.py") }], content: [authDiff] },
  });

export const sneakyQuestion = () =>
  question({
    title: "List files",
    detail: { tool: "call-s", tool_kind: "read", input: { command: "ls\u202e\u200b; rm -rf ~/projects # \u001b[2K list", cwd: "/home/ada" }, caution: "~/projects is outside the chat's folder" },
  });

/** The request has more fields than the card has places for. */
export const crowdedQuestion = () =>
  question({
    title: "List files",
    detail: {
      tool: "call-c",
      tool_kind: "execute",
      input: { command: "ls -la", cwd: WORKSPACE, env: { LD_PRELOAD: "/tmp/a.so" } },
      more: { _meta: { afterwards: "make install" }, rawOutput: "done", status: "approved" },
      options_left_out: 120,
      alike: true,
      changed: true,
      unclear: "it sets variables",
    },
  });

export const formQuestion = () =>
  question({
    type: "form",
    title: "How should the release be made?",
    options: [],
    detail: {
      schema: {
        type: "object",
        properties: {
          version: { type: "string", title: "Version", description: "Like 1.4.0", minLength: 5, pattern: "^\\d+\\.\\d+\\.\\d+$" },
          channel: { type: "string", title: "Channel", enum: ["stable", "beta", "nightly"], default: "beta" },
          retries: { type: "integer", title: "Retries", minimum: 0, maximum: 5, default: 2 },
          notify: { type: "array", title: "Notify", items: { anyOf: [{ const: "mail", title: "by email" }, { const: "chat", title: "in the chat room" }] } },
          sign: { type: "boolean", title: "Sign the packages", default: true },
        },
        required: ["version", "channel"],
      },
    },
  });

export const urlQuestion = () =>
  question({
    type: "url",
    title: "Please sign in to the issue tracker so that I can read the ticket.",
    options: [],
    detail: { url: "https://tracker.example.com/oauth/authorize?client=shop&state=8f1c2aa", host: "tracker.example.com" },
  });

/** Commands run for an agent: in a call and alone, running, ended, killed, and one that printed too much. */
export function terminalTurn(): Block[] {
  const terminal = (before: number, id: string, more: Record<string, unknown>) =>
    block(before, { kind: "terminal", terminal_id: id, command: "make test", cwd: WORKSPACE, text: "", ...more });
  const shows = (id: string): ToolContent => ({ type: "terminal", terminalId: id });
  const flood = Array.from({ length: 300 }, (_, n) => `tick ${n}`).join("\n");
  return [
    block(300, { kind: "message", id: "m7", role: "user", text: "Run the tests, then watch the server." }),
    terminal(290, "k-1", { text: TEST_OUTPUT, exit: { exit_code: 1 } }),
    tool(289, "execute", "make test", { status: "failed", input: { command: "make test", cwd: WORKSPACE }, content: [shows("k-1")] }),
    block(280, { kind: "text", message_id: "a7", text: "One test fails. I will check the server next." }),
    terminal(270, "k-2", { command: ["tail", "-f", "log/server log.txt"], text: `${flood}\n\n[… 1,204,331 bytes omitted …]\ntick 99999\n`, skipped: 1204331, exit: { signal: "SIGKILL" } }),
    terminal(260, "k-3", { command: "npm run dev", text: "\u001b[32m✔\u001b[0m listening on \u001b[36mhttp://127.0.0.1:5173\u001b[0m\n", held: true }),
    tool(259, "execute", "npm run dev", { status: "in_progress", input: { command: "npm run dev", cwd: WORKSPACE }, content: [shows("k-3")] }),
  ];
}

/** A sign-in by command: its terminal, and the question that stays until it ends. */
export function signInTerminal(): Block[] {
  return [
    block(20, { kind: "message", id: "m8", role: "user", text: "Hello" }),
    block(10, {
      kind: "terminal",
      terminal_id: "s-1",
      command: ["claude-agent-acp", "--cli", "auth", "login"],
      cwd: WORKSPACE,
      takes_input: true,
      text: "Opening browser to sign in…\r\nIf it does not open, visit: \u001b[36mhttps://claude.example/oauth/authorize?code=true&client_id=9d1c250a-e61b-44d9-88ed-5944d1962f5e&response_type=code\u001b[0m\r\n\r\nPaste code here: ",
    }),
    question({
      type: "sign-in",
      title: "Sign in using this chat’s terminal",
      agent: "claude",
      options: [
        { id: "done", label: "I have signed in", kind: "retry" },
        { id: "dismiss", label: "Not now", kind: "reject_once" },
      ],
      detail: { terminal_id: "s-1", hint: "Sign in using the terminal above. The turn continues when the command finishes." },
    }),
  ];
}

export const signInQuestion = (reason?: string) =>
  question({
    type: "sign-in",
    title: "GitHub Copilot wants you to sign in",
    agent: "copilot",
    options: [
      { id: "method:web", label: "Sign in with GitHub", kind: "sign_in" },
      { id: "done", label: "I have signed in", kind: "retry" },
      { id: "dismiss", label: "Not now", kind: "reject_once" },
    ],
    detail: {
      methods: [
        { id: "web", name: "Sign in with GitHub", description: "Opens a page in a browser on the machine that runs the agent.", type: "agent" },
        { id: "tty", name: "Sign in using a terminal", description: "Run this on the machine that runs VoxPilot.", type: "terminal", command: "copilot --acp --stdio login" },
      ],
      hint: "Run `copilot login` in a terminal.",
      ...(reason && { reason }),
    },
  });

export const trustQuestion = () =>
  question({
    type: "confirm",
    title: `Do you trust the files in ${WORKSPACE}?`,
    options: [
      { id: "trust", label: "Trust this folder", kind: "trust" },
      { id: "not-now", label: "Not now", kind: "not_now" },
    ],
    detail: { folders: [WORKSPACE], why: "Agents follow the instructions and settings in the folder they start in, and can run its code." },
  });

export const contextQuestion = () =>
  question({
    type: "confirm",
    title: "Send your last message to the new Claude Code session?",
    options: [
      { id: "include", label: "Send it", kind: "allow_once" },
      { id: "leave-out", label: "Do not send it", kind: "reject_once" },
    ],
    detail: { text: "Sessions of signed-in users live too long after a renewal. Find out why, fix it, and add a test." },
  });

/** Every notice about sessions, and an interrupted turn. */
export function brokenTurn(): Block[] {
  const notice = (before: number, level: string, code: string, text: string, detail?: string) =>
    block(before, { kind: "notice", level, code, text, ...(detail && { detail }) });
  return [
    notice(500, "info", "restored", "The Claude Code session was restored.", "The agent may not remember its last messages."),
    notice(495, "info", "restarted", "The agent was restarted with its session."),
    notice(490, "info", "no-memory", "Codex cannot restore sessions. It will not remember this chat after it exits."),
    notice(485, "info", "history-unseen", "Codex resumed this session but cannot show its earlier messages."),
    notice(480, "warning", "session-not-restored", "The previous Claude Code session could not be restored. A new session has been started. Your conversation history in VoxPilot is intact."),
    notice(475, "info", "context-sent", "Your last message was sent to the new session.", "Find out why sessions live too long."),
    notice(470, "info", "not-trusted", "The agent was not started because this folder is not trusted. Send a message to be asked again."),
    block(400, { kind: "message", id: "m9", role: "user", text: "Now tidy up the imports." }),
    block(390, { kind: "text", message_id: "a9", text: "Three files have imports out of order. I will start with" }),
    block(380, { kind: "turn", since: NOW - 400, stop_reason: "interrupted", error: { message: "Claude Code crashed (signal 11, SIGSEGV).", hint: "Its output so far is saved. Send a message to start it again.", detail: "Segmentation fault" } }),
  ];
}

/** Everything that may go wrong or look unusual. */
export function oddTurn(): Block[] {
  const huge = Array.from({ length: 900 }, (_, n) => `line ${n + 1} of a long file`).join("\n");
  return [
    block(900, { kind: "message", id: "m3", role: "user", text: "A message\nwith several lines,\n\n    and an indented one, and averyveryverylongwordthatdoesnotfitanywhereatallbecauseitjustgoesonandonandonandon" }),
    block(890, { kind: "notice", level: "info", code: "recovered", text: "The server was restarted. The agent kept working." }),
    block(889, { kind: "notice", level: "warning", code: "session-not-restored", text: "The previous Copilot session could not be restored. A new session has been started. Your conversation history in VoxPilot is intact." }),
    block(888, { kind: "notice", level: "error", code: "agent-stderr", text: "The agent wrote to its error output.", detail: "Error: ENOENT: no such file or directory, open '/home/ada/.config/agent.json'\n    at Object.openSync (node:fs:601:3)" }),
    tool(880, "delete", "Delete old.py", { locations: [{ path: at("old.py") }] }),
    tool(879, "move", "Move a.py to b.py", { locations: [{ path: at("a.py") }, { path: at("b.py") }] }),
    tool(870, "fetch", "Fetch https://docs.python.org/3/library/time.html", { content: [said("# time — Time access and conversions\n\nThis module provides various *time-related* functions.")] }),
    tool(869, "think", "Think about the clock", {}),
    tool(868, "switch_mode", "Switch to plan mode", {}),
    tool(867, "other", "todo_write", { input: { todos: ["a", "b"] }, output: { ok: true } }),
    tool(860, "edit", "Write big.txt", { content: [{ type: "diff", path: at("big.txt"), oldText: huge, newText: huge.replaceAll("long", "very long") }] }),
    tool(850, "execute", "npm install", { status: "cancelled", input: { command: "npm install" } }),
    tool(840, "execute", "cargo build", { status: "in_progress", input: { command: ["cargo", "build", "--features", "a b"] }, content: [said("   Compiling shop v0.1.0\n")] }),
    block(830, { kind: "thought", message_id: "t9", text: "The build is taking a while." }),
    block(820, { kind: "text", message_id: "a3", text: "A remote picture: ![chart](https://evil.example/c.png?q=secret), a [harmless link](https://example.com/a), a\n[javascript link](javascript:alert(1)), raw <b>bold</b> and <script>alert(1)</script> markup.\n\n> A quotation\n> over two lines\n\n- [x] done\n- [ ] open\n\n---\n\n### A heading\n\n```sh\nvoxpilot run --agent claude \"a very long command line that does not fit into the narrow column of a phone\" --json | jq .text\n```\n\n| a | wide | table | that | has | many | columns | and | scrolls |\n|---|---|---|---|---|---|---|---|---|\n| some cell | some cell | some cell | some cell | some cell | some cell | some cell | some cell | some cell |" }),
    block(810, { kind: "unknown", raw: { sessionUpdate: "future_update", value: { a: 1 } } }),
    block(805, { kind: "turn", since: NOW - 900, stop_reason: "error", error: { message: "The agent exited with status 1 before it answered.", hint: "Send the message again to restart the agent.", exit_code: 1, stderr: "Traceback (most recent call last):\n  File \"agent.py\", line 3\nKeyError: 'token'" } }),
    block(700, { kind: "message", id: "m4", role: "user", text: "Try again." }),
    block(690, { kind: "turn", since: NOW - 700, stop_reason: "cancelled" }),
  ];
}

/** The assistant delegates work to an agent. */
export function delegatedTurn(): Block[] {
  const call = { tool_call_id: "d1" };
  return [
    block(300, { kind: "message", id: "m5", role: "user", text: "Fix the auth bug with Copilot." }),
    tool(290, "other", "copilot_agent", { id: "d1", name: "copilot_agent", status: "in_progress", input: { prompt: "Fix the auth bug", session_name: "auth-bug-fix", agent: "copilot" } }),
    block(288, { kind: "text", message_id: "d-a", text: "Looking at the sessions module first.\nThe lifetime is a constant.", ...call }),
    tool(287, "read", "Read sessions.py", { locations: [{ path: at("shop/auth/sessions.py") }], ...call }),
    tool(286, "edit", "Edit sessions.py", { content: [authDiff], ...call }),
    block(280, { kind: "plan", entries: PLAN.slice(0, 3), ...call }),
  ];
}

/** Changes that somebody made to the settings file. */
export const PENDING = {
  fingerprint: "f",
  changes: [
    { name: "acp_auto_allow_permissions", before: "off", after: "on" },
    { name: "trusted_folders", before: "/home/ada/shop", after: "/home/ada/shop\n/" },
    { name: "assistant.base_url", before: "none", after: "http://203.0.113.7:8080/v1/a-very-long-address-that-does-not-end-soon/chat" },
    { name: "assistant.api_key", before: "a key", after: "a new key" },
  ],
};

export const SETTINGS = {
  values: { strict: false, acpAutoAllowPermissions: false, question_timeout: 0, trusted_folders: ["/home/ada/projects"], assistant: { provider: "openai", model: "gpt-5.4", base_url: "", api_key: "**********", context_tokens: 0, max_output_tokens: 0 }, acpDefaultAgentId: "", acpSkillsFolderPath: "copilot-skills", instructions: "Write short answers.\n\n* Use British spelling.\n* Run the tests first.", prepend_instructions: false, project_instructions: true, interactionModeDefault: "agent", work_dir: WORKSPACE },
  path: "/home/ada/.config/voxpilot/config.toml",
  problem: null,
  decided_elsewhere: [],
  only_in_file: [],
  waiting: [],
  pending: null,
} as unknown as SettingsInfo;

export const DEVICES: DeviceInfo[] = [
  { id: "d1", name: "Chrome on Linux", created_at: NOW - 900_000, last_used_at: NOW - 5, this_one: true, confirmed: true },
  { id: "d2", name: "Safari on iPhone", created_at: NOW - 300_000, last_used_at: NOW - 4000, this_one: false, confirmed: true },
];

const decision = (at: number, more: Partial<Decision>): Decision => ({
  id: `x${at}`, chat: "a1", chat_title: "Sessions live too long after a renewal", turn: "t", agent: "claude", type: "permission", purpose: "agent",
  title: "python -m pytest -q", detail: { tool_kind: "execute", input: { command: "python -m pytest -q" } }, options: [{ id: "once", label: "Yes", kind: "allow_once" }],
  asked_at: NOW - at - 4, at: NOW - at, outcome: "allow_once", option_id: "once", by: "person", where: "Safari on iPhone", reason: null, policy: "ask", cut: false, ...more,
});

export const DECISIONS: Decision[] = [
  decision(40, {}),
  decision(600, { title: "Edit sessions.py", by: "auto", where: null, policy: "auto", detail: { tool_kind: "edit", locations: [{ path: at("shop/auth/sessions.py") }], content: [authDiff] } as never }),
  decision(4000, { title: "rm -rf build", outcome: "reject_once", option_id: "no", reason: "Only the cache, please.", detail: { tool_kind: "execute", input: { command: "rm -rf build" } }, options: [{ id: "no", label: "No", kind: "reject_once" }] }),
  decision(90_000, { title: `Do you trust the files in ${WORKSPACE}?`, type: "confirm", purpose: "trust", outcome: "trust", option_id: "trust", detail: { folders: [WORKSPACE] }, options: [{ id: "trust", label: "Trust this folder", kind: "trust" }] }),
];

export const STEPS: CheckStep[] = [
  { name: "found", outcome: "ok", text: "Found at /usr/local/bin/copilot.", hint: "", detail: "", seconds: 0 },
  { name: "version", outcome: "warning", text: "Version 0.0.390 is older than 0.0.400.", hint: "Update it: npm install -g @github/copilot", detail: "", seconds: 0.4 },
  { name: "starts", outcome: "ok", text: "Started.", hint: "", detail: "", seconds: 0.1 },
  { name: "handshake", outcome: "ok", text: "Protocol version 1: Copilot 0.0.390.", hint: "", detail: "", seconds: 1.2 },
  { name: "session", outcome: "failed", text: "Not signed in.", hint: "Run `copilot login` in a terminal.", detail: "No token was found.", seconds: 0.7 },
];
const WORKED = `Looking at the sessions module first.
The lifetime is a constant, so a renewed session lives for an hour whatever is configured.

$ pytest tests/test_sessions.py
${Array.from({ length: 30 }, (_, n) => `tests/test_sessions.py::test_renewal_${n} PASSED`).join("\n")}

All 42 tests pass. Renewed sessions now live for the configured lifetime.`;

export function delegatedQuestion(): Block {
  return block(5, {
    kind: "question", id: "dq", type: "permission", title: "May I run the migration?", agent: "copilot", tool_call_id: "d1",
    detail: { tool_kind: "execute", input: { command: "alembic upgrade head" } },
    options: [
      { id: "once", label: "Allow once", kind: "allow_once" },
      { id: "no", label: "Reject", kind: "reject_once" },
    ],
  });
}

/** A whole turn of the assistant: the model was asked again, used its tools, delegated work, and answered. */
export function delegatedDone(): Block[] {
  const call = { tool_call_id: "d2" };
  const other = { tool_call_id: "d3" };
  const returned = (content: string, is_error = false) => ({ result: { content, display: content, is_error, seq: 5 }, status: is_error ? "failed" : "completed" });
  const handed = (id: string, session_name: string, agent: string, stop_reason: string, more: object) =>
    tool(280, "other", "copilot_agent", {
      id, name: "copilot_agent", input: { prompt: "Fix the lifetime of renewed sessions.\nRun the tests.", session_name, agent },
      delegated: { session_name, agent, summary: "Done.", stop_reason }, ...more,
    });
  return [
    block(300, { kind: "message", id: "m6", role: "user", text: "Fix the auth bug and run the tests." }),
    block(299, { kind: "text", message_id: "s1-1", text: "I will start by looking at", superseded: true }),
    block(298, { kind: "text", message_id: "s1-2", text: "I will look at the code first, then delegate the work to agents." }),
    tool(297, "search", "grep_search", { name: "grep_search", input: { pattern: "expires_at" }, ...returned("shop/auth/sessions.py:12: expires_at: float") }),
    tool(296, "read", "read_file", { name: "read_file", input: { path: "shop/auth/nowhere.py" }, ...returned("File not found: shop/auth/nowhere.py.", true) }),
    handed("d2", "auth-bug-fix", "copilot", "end_turn", returned(WORKED)),
    block(279, { kind: "text", message_id: "d2-a", text: WORKED, ...call }),
    tool(278, "edit", "Edit sessions.py", { content: [authDiff], ...call }),
    handed("d3", "flaky-cart", "claude", "interrupted", returned("Looking", true)),
    block(277, { kind: "text", message_id: "d3-a", text: "Looking", ...other }),
    block(270, { kind: "text", message_id: "s2", text: "The lifetime is fixed and all tests pass. The second agent exited before it finished." }),
    block(269, { kind: "turn", since: NOW - 300, stop_reason: "interrupted", error: { message: "The agent exited before it finished.", hint: "Select Continue to let the assistant continue." } }),
  ];
}

const past = (n: number, title: string, hours: number, chat: string | null = null) => ({
  session_id: `s-${n}`, title, cwd: n % 3 ? WORKSPACE : "/home/ada/projects/billing", updated_at: new Date((NOW - hours * 3600) * 1000).toISOString(), chat,
});

export const SESSIONS: PastSession[] = [
  past(1, "Sessions live too long after a renewal", 0.1, "a1"),
  past(2, "Rename the currency helper everywhere, and explain in the changelog why it was renamed and what users have to change", 5),
  past(3, "Sort out the payment retries", 26),
  past(4, "", 300),
];

/** One hostile text, everywhere untrusted text can appear. */
export function attacked(text: string): Block[] {
  return [
    block(1, { kind: "message", id: `x-${pos}`, role: "user", text }),
    block(1, { kind: "thought", message_id: `xt-${pos}`, text }),
    tool(1, "other", text, { status: "failed", locations: [{ path: text }], input: { command: text }, output: { message: text }, content: [said(text)] }),
    block(1, { kind: "plan", turn: `x-${pos}`, entries: [{ content: text, priority: "high", status: "pending" }] }),
    block(1, { kind: "notice", level: "error", code: "x", text, detail: text }),
    block(1, { kind: "text", message_id: `xa-${pos}`, text }),
    block(1, { kind: "turn", since: NOW, stop_reason: "error", error: { message: text, hint: text, stderr: text } }),
  ];
}

export const DIAGNOSTICS: AgentProcesses = {
  frames_on: true, texts_on: false,
  agents: [
    {
      id: "k-1", agent: "claude", agent_name: "Claude Code", state: "ready", started_at: NOW - 300, ended_at: null, ended: null, left_out: 0,
      stderr: "warning: API_KEY=•••••••• is about to expire",
      processes: [
        { pid: 4100, parent: 1, name: "python3", is_keeper: true, cpu_percent: 0, cpu_seconds: 0.1, memory_bytes: 14_000_000 },
        { pid: 4102, parent: 4100, name: "node", is_keeper: false, cpu_percent: 12.4, cpu_seconds: 3.2, memory_bytes: 180_000_000 },
      ],
    },
  ],
};

export const FRAMES: { frames: FrameInfo[]; is_whole: boolean } = {
  is_whole: true,
  frames: [
    { offset: 10, at: NOW - 300, way: "to-agent", kind: "request", method: "initialize", id: "1", bytes: 412, is_error: false, text: "{}" },
    { offset: 20, at: NOW - 299, way: "from-agent", kind: "response", method: "initialize", id: "1", bytes: 2_210, is_error: false, text: "{}" },
    { offset: 30, at: NOW - 290, way: "from-agent", kind: "response", method: "session/new", id: "2", bytes: 96, is_error: true, text: '{ "error": { "code": -32000 } }' },
  ],
};
