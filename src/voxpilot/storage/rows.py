"""The rows of the database, as frozen values.

Lives here: what each table holds. Lives elsewhere: the tables themselves
(migrations/), reading and writing rows (tables.py, ledger.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from voxpilot.chat.events import Json

TurnState = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    TABLE: ClassVar[str]
    KEY: ClassVar[tuple[str, ...]] = ("id",)
    JSON: ClassVar[frozenset[str]] = frozenset()
    """Columns kept as JSON text."""
    REPLACES: ClassVar[bool] = False
    """Whether writing one that is there already is no mistake."""

    def identity(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.KEY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat(Row):
    TABLE = "chats"
    JSON = frozenset({"crashes", "directories"})
    id: str
    title: str
    workspace: str
    mode: str
    agent: str | None
    policy: str
    name: str | None = None
    """A name a script chose to find the chat again by."""
    created_at: float
    updated_at: float
    last_seq: int = 0
    crashes: tuple[float, ...] = ()
    """When its agents last failed, so that a crash loop is noticed."""
    directories: tuple[str, ...] = ()
    """Further folders its agents may touch."""

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders it may touch."""
        return self.workspace, *self.directories


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Row):
    """One message of a person and all that comes of it. A queued turn is a queued message."""

    TABLE = "turns"
    JSON = frozenset({"attachments", "error"})
    id: str
    chat_id: str
    number: int
    message_id: str
    text: str
    attachments: tuple[Json, ...] = ()
    state: TurnState = "queued"
    agent: str
    session_name: str = "main"
    created_at: float
    started_at: float | None = None
    ended_at: float | None = None
    cancelled_at: float | None = None
    """When a person asked to stop it."""
    ahead: bool = False
    """While queued: goes before those that are not."""
    stop_reason: str | None = None
    error: Json | None = None
    resumptions: int = 0
    """How often an assistant's turn had to ask its model again because the server had died."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Row):
    """One prompt for one session of an agent, and all that comes of it."""

    TABLE = "tasks"
    JSON = frozenset({"attachments"})
    id: str
    chat_id: str
    turn: str
    agent: str
    session_name: str
    text: str
    attachments: tuple[Json, ...] = ()
    tool_call_id: str | None = None
    """The assistant's call that it answers; none when the person talks to the agent."""
    created_at: float
    ended_at: float | None = None
    stop_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Process(Row):
    """One run of one agent for one chat, owned by the keeper of the same id."""

    TABLE = "agent_processes"
    JSON = frozenset({"initialized", "ended"})
    id: str
    chat_id: str
    agent: str
    state: Literal["waiting", "starting", "ready", "stopping", "ended"] = "starting"
    offset: int = 0
    """How far its journal has been turned into events."""
    lines_out: int = 0
    """The number of the last line put into its outbox."""
    requests: int = 0
    """How many requests either side has made."""
    initialized: Json | None = None
    """The agent's answer to `initialize`."""
    unreadable: int = 0
    slow: bool = False
    """It was said that it takes long to start."""
    force: bool = False
    """While stopping: at once, without asking."""
    place: int = 0
    """While waiting: the place in the line that was told last."""
    started_at: float
    ended_at: float | None = None
    ended: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Row):
    TABLE = "acp_sessions"
    JSON = frozenset({"options", "replay", "note", "always"})
    id: str
    chat_id: str
    agent: str
    name: str
    acp_session_id: str
    cwd: str | None = None
    """The folder it was opened in; it must be brought back in the same one."""
    title: str | None = None
    process_id: str
    """The process that has it open."""
    created_at: float
    turn: str | None = None
    """The turn its updates belong to: the running one, or for a moment the last."""
    tool_call_id: str | None = None
    prompting: bool = False
    answered_at: float | None = None
    heard: bool = False
    """Something was shown since the last prompt was sent."""
    speaking: str | None = None
    """`text` or `thought` while a message without an id of its own goes on."""
    messages: int = 0
    """How many such messages there were."""
    options: Json | None = None
    """Modes, models and config options as the agent last gave them."""
    model: str | None = None
    """The model that a person has chosen for it."""
    agent_version: str | None = None
    """The version of the agent that has it open."""
    prompts: int = 0
    """How many prompts it was sent; one of the agent's own history has had some before it came to us."""
    asked: str | None = None
    """The beginning of the last of them."""
    cut: bool = False
    """Its process died in the midst of one."""
    wanted: bool = False
    """To be opened although no turn needs it: a restart, or history that somebody wants to see."""
    loading: Literal["quiet", "shown"] | None = None
    """While the agent repeats its history: whether we hold it already, or show it."""
    replay: Json | None = None
    """The turn being rebuilt from such a history."""
    note: Json | None = None
    """What a new session is told of an earlier one that was lost, and whether the person agreed."""
    always: tuple[str, ...] | None = None
    """Kinds of tools that were allowed for good; the agent need not ask about them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Row):
    """A JSON-RPC request in either direction. Open while it has no response."""

    TABLE = "requests"
    JSON = frozenset({"subject", "response"})
    id: str
    process_id: str
    direction: Literal["out", "in"]
    rpc_id: str
    """The id as JSON text, so that 0 and "0" differ."""
    method: str
    subject: Json
    """What it is about: a session, a turn, a question."""
    response: Json | None = None
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxLine(Row):
    TABLE = "outbox"
    JSON = frozenset({"stops"})
    KEY = ("process_id", "n")
    process_id: str
    n: int
    line: str
    prompt: str | None = None
    """The request id, when the line is a prompt that keeps the agent busy."""
    stops: Json | None = None
    """When the line has the agent stop: since when its commands run, and of what to tell if it leaves one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyFrame(Row):
    """An update for a session we have not been told of yet."""

    TABLE = "early_frames"
    KEY = ("process_id", "n")
    process_id: str
    n: int
    acp_session_id: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Row):
    TABLE = "questions"
    JSON = frozenset({"options", "detail"})
    id: str
    chat_id: str
    turn: str | None
    process_id: str
    request_id: str
    session_id: str
    type: str
    title: str
    detail: Json
    options: tuple[Json, ...]
    asked_at: float
    state: Literal["open", "decided"] = "open"
    outcome: str | None = None
    option_id: str | None = None
    decided_by: str | None = None
    decided_where: str | None = None
    decided_at: float | None = None
    reason: str | None = None
    purpose: str = "agent"
    """Who wants to know: an agent, or we ourselves, and what for; see runtime/decisions.py."""
    policy: str | None = None
    """The policy under which it was last looked at whether a person must decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedCommand(Row):
    """How an agent was started when a person last agreed to it, or for the first time."""

    TABLE = "agreed_commands"
    KEY = ("agent",)
    REPLACES = True
    agent: str
    fingerprint: str
    """Of all that decides what is run."""
    shown: str
    """The same in words, without secrets."""
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedFolder(Row):
    """A person said that agents may be started there and below."""

    TABLE = "trusted_folders"
    KEY = ("path",)
    REPLACES = True
    path: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView(Row):
    """What a session last knew of a file: the contents it was given, or wrote itself."""

    TABLE = "file_views"
    KEY = ("request_id",)
    request_id: str
    session_id: str
    path: str
    version: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting(Row):
    """What an agent said of itself when it was last started, in whichever chat."""

    TABLE = "sightings"
    KEY = ("agent",)
    JSON = frozenset({"initialized"})
    REPLACES = True
    agent: str
    initialized: Json
    """Its answer to `initialize`."""
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal(Row):
    """A command that runs for an agent, in the keeper of its process; open until released and all told."""

    TABLE = "terminals"
    JSON = frozenset({"argv", "env", "ended"})
    id: str
    chat_id: str
    process_id: str
    session_id: str
    turn: str | None
    tool_call_id: str | None
    argv: tuple[str, ...]
    cwd: str
    env: Json
    byte_limit: int | None
    """How much of the end of its output the agent wants to see."""
    offset: int = 0
    """How far its output has been turned into events."""
    shown: int = 0
    """How many bytes of it were."""
    killed: bool = False
    released: bool = False
    ended: Json | None = None
    told: bool = False
    """All of it was turned into events, its end too."""
    takes_input: bool = False
    """It has a terminal, and a person may type into it."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Device(Row):
    TABLE = "devices"
    id: str
    name: str
    secret_hash: str
    created_at: float
    last_used_at: float
    expires_at: float | None = None
    """When it must sign in again, however often it was seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link(Row):
    """A one-time sign-in code, kept as a hash."""

    TABLE = "links"
    KEY = ("code_hash",)
    code_hash: str
    expires_at: float
    used_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Row):
    """What a request with a key was answered, so that the same key gets the same answer."""

    TABLE = "idempotency_keys"
    KEY = ("key",)
    JSON = frozenset({"reply"})
    key: str
    chat_id: str | None
    reply: Json
    at: float
