"""The rows of the database, as frozen values.

Lives here: what each table holds. Lives elsewhere: the tables themselves
(migrations/), reading and writing rows (tables.py, chats/ledger.py), states of rows
(states.py), the rows of requests (request_rows.py), of the assistant (model_rows.py)
and of signed-in devices (device_rows.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

from voxpilot.chat.events import Json
from voxpilot.storage.database.states import HELD, ProcessState, QuestionState, SessionPhase, TurnState
from voxpilot.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    TABLE: ClassVar[str]
    KEY: ClassVar[tuple[str, ...]] = ("id",)
    JSON: ClassVar[frozenset[str]] = frozenset()
    """Columns kept as JSON text."""
    ENUMS: ClassVar[Mapping[str, type[StrEnum]]] = MappingProxyType({})
    """Columns whose values are those of an enum."""
    REPLACES: ClassVar[bool] = False
    """Whether writing a row that already exists is allowed."""

    @classmethod
    def from_stored(cls, values: dict[str, Any]) -> Self:
        """The row of these columns, each already read."""
        return cls(**values)

    def identity(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.KEY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat(Row):
    TABLE = "chats"
    JSON = frozenset({"crashes", "directories", "shifts", "model", "tools_off", "handover", "seen"})
    id: str
    title: str
    workspace: str
    mode: str
    agent: str | None
    policy: str
    name: str | None = None
    """A name chosen by a script, to find the chat again."""
    created_at: float
    updated_at: float
    last_seq: int = 0
    crashes: tuple[float, ...] = ()
    """When its agents last failed, so that a crash loop is noticed."""
    directories: tuple[str, ...] = ()
    """Additional folders its agents may use."""
    shifts: tuple[Sequence[Any], ...] = ()
    """By how much times were moved to show them, and from which event on; see `Ledger.steady_at`."""
    model: Json | None = None
    """The assistant's model in this chat (`provider` and `name`), if a person chose one."""
    tools_off: tuple[str, ...] = ()
    """The assistant's tools that are switched off in this chat."""
    handover: Json | None = None
    """What the next message takes along for the one who answers it; see runtime/turns/handover.py."""
    seen: Json | None = None
    """The last event of the last turn of each agent; the assistant's has the empty name."""
    answered_by: str | None = None
    """Who answered last; empty if it was the assistant."""

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders it may use."""
        return self.workspace, *self.directories


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Row):
    """One message of a person and everything it leads to. A queued turn is a queued message."""

    TABLE = "turns"
    JSON = frozenset({"attachments", "context", "error", "handover"})
    ENUMS = MappingProxyType({"state": TurnState})
    id: str
    chat_id: str
    number: int
    message_id: str
    text: str
    attachments: tuple[Json, ...] = ()
    state: TurnState = TurnState.QUEUED
    agent: str
    session_name: str = "main"
    created_at: float
    started_at: float | None = None
    ended_at: float | None = None
    cancelled_at: float | None = None
    """When a person asked to stop it."""
    ahead: bool = False
    """While queued: goes before messages without this flag."""
    stop_reason: str | None = None
    error: Json | None = None
    resumptions: int = 0
    """How often the assistant's turn had to ask its model again after a crash of the server."""
    unasked_left: int | None = None
    """How many more changes may be approved without asking; None before the first."""
    handover: Json | None = None
    """What is sent along because another one answered before."""
    context: Json | None = None
    """What was read for its message before it is sent; see chat/gathered.py."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Row):
    """One prompt for one session of an agent, and everything it leads to."""

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
    """The assistant's call that it answers; none if a person talks to the agent."""
    created_at: float
    ended_at: float | None = None
    stop_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Process(Row):
    """One run of one agent for one chat, owned by the keeper of the same id."""

    TABLE = "agent_processes"
    JSON = frozenset({"initialized", "ended"})
    ENUMS = MappingProxyType({"state": ProcessState})
    id: str
    chat_id: str
    agent: str
    state: ProcessState = ProcessState.STARTING
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
    """The chat was told that it is slow to start."""
    force: bool = False
    """While stopping: kill it immediately."""
    unreachable: bool = False
    """The chat was told that its keeper cannot be reached."""
    place: int = 0
    """While waiting: its last reported position in the queue."""
    sandbox: Literal["off", "standard", "strict"] = "off"
    """The sandbox in which it was started."""
    started_at: float
    ended_at: float | None = None
    ended: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Row):
    TABLE = "acp_sessions"
    JSON = frozenset({"options", "replay", "note", "always", "shell_in"})
    ENUMS = MappingProxyType({"phase": SessionPhase})
    id: str
    chat_id: str
    agent: str
    name: str
    phase: SessionPhase
    acp_session_id: str
    """Empty while it is unopened."""
    cwd: str | None = None
    """The folder it was opened in; it must be restored in the same one."""
    process_id: str
    """The process that has it open or is restoring it; empty if none."""
    created_at: float
    turn: str | None = None
    """The turn its updates belong to: the running one, or for a moment the last."""
    tool_call_id: str | None = None
    answered_at: float | None = None
    """When its last prompt ended; None during a prompt."""
    heard: bool = False
    """Something was shown since the last prompt was sent."""
    speaking: str | None = None
    """`text` or `thought` while a message without an id is in progress."""
    messages: int = 0
    """How many such messages there were."""
    options: Json | None = None
    """Modes, models and config options as last reported by the agent."""
    model: str | None = None
    """The model that a person has chosen for it."""
    agent_version: str | None = None
    """The version of the agent that has it open."""
    prompts: int = 0
    """How many prompts it was sent; a session from the agent's own history had others before."""
    asked: str | None = None
    """The beginning of the last of them."""
    used_at: float | None = None
    """When it was sent."""
    title: str | None = None
    """The agent's title for it."""
    cut: bool = False
    """Its process died in the middle of a prompt."""
    wanted: bool = False
    """To be opened although no turn needs it: after a restart, or to show its history."""
    unseen: bool = False
    """Until it is restored: the chat does not have its history and shows what the agent repeats."""
    replay: Json | None = None
    """While it is being restored: the turn being rebuilt from its history."""
    note: Json | None = None
    """What a new session is told about a lost one, and whether the person agreed to it."""
    always: tuple[str, ...] | None = None
    """Kinds of tools that were always allowed; the agent need not ask about them again."""
    shell_in: tuple[str, ...] | None = None
    """Folders that allowed commands changed to: a shell that the agent keeps open may still be there."""

    def __post_init__(self) -> None:
        phase = self.phase
        fits = {
            "acp_session_id": bool(self.acp_session_id) is (phase is not SessionPhase.UNOPENED),
            "process_id": bool(self.process_id) is (phase in HELD),
            "turn": self.turn is not None or phase is not SessionPhase.PROMPTING,
            "answered_at": self.answered_at is None or phase is not SessionPhase.PROMPTING,
            "unseen": not self.unseen or phase in (SessionPhase.CLOSED, SessionPhase.RESTORING),
            "replay": self.replay is None or phase is SessionPhase.RESTORING,
        }
        if not all(fits.values()):
            wrong = ", ".join(
                f"{name}={getattr(self, name)!r}" for name, is_fit in fits.items() if not is_fit
            )
            raise ValueError(f"session {self.id} is {phase} with {wrong}")


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
    """If the line tells the agent to stop: since when its commands run, and what to report if it leaves one
    running."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyFrame(Row):
    """An update for a session we do not know yet."""

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
    ENUMS = MappingProxyType({"state": QuestionState})
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
    state: QuestionState = QuestionState.OPEN
    outcome: str | None = None
    option_id: str | None = None
    decided_by: str | None = None
    decided_where: str | None = None
    decided_at: float | None = None
    reason: str | None = None
    purpose: str = "agent"
    """Who asks: an agent, or VoxPilot and for which purpose; see runtime/step/decisions.py."""
    policy: str | None = None
    """The policy against which it was last checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedCommand(Row):
    """An agent's command as last approved, or as used at its first start."""

    TABLE = "agreed_commands"
    KEY = ("agent",)
    REPLACES = True
    agent: str
    fingerprint: str
    """A digest of everything that decides what runs."""
    shown: str
    """The same in words, without secrets."""
    sandbox: Literal["off", "standard", "strict"] = "off"
    """The sandbox in which it was started."""
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedFolder(Row):
    """A person allowed agents to be started there and below."""

    TABLE = "trusted_folders"
    KEY = ("path",)
    REPLACES = True
    path: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView(Row):
    """The version of a file that a session last read or wrote."""

    TABLE = "file_views"
    KEY = ("request_id",)
    request_id: str
    session_id: str
    path: str
    version: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting(Row):
    """What an agent reported about itself when it was last started, in any chat."""

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
    """A command run for an agent by the keeper of its process; open until released and completely
    reported."""

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
    """How many bytes of output the agent asks for."""
    offset: int = 0
    """How far its output has been turned into events."""
    shown: int = 0
    """How many bytes of it were."""
    killed: bool = False
    released: bool = False
    ended: Json | None = None
    told: bool = False
    """All of its output and its exit were turned into events."""
    takes_input: bool = False
    """It has a terminal, and a person may type into it."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Row):
    """The answer to a request with a key, so that the same key gets the same answer."""

    TABLE = "idempotency_keys"
    KEY = ("key",)
    JSON = frozenset({"reply"})
    key: str
    chat_id: str | None
    reply: Json
    at: float
