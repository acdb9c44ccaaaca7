"""The facts of a chat, one class for each kind of event.

Lives here: what an event says, and its form on the wire. Lives elsewhere: numbering and storing events
(storage/), folding them (transcript.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Literal

from voxpilot.values import dataclass

Json = dict[str, Any]
Fields = Mapping[str, Any]
"""The fields of a tool call, to be read: of an event, a block or a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One fact in a chat's log; the log adds `seq` and `at`."""

    kind: ClassVar[str]
    turn: str | None = None
    tool_call_id: str | None = None
    """Set on everything a delegated agent does: the call of the assistant it belongs to."""

    def body(self) -> Json:
        """The event as JSON, without fields that are not set."""
        return {
            name: value for name in _field_names(type(self)) if (value := getattr(self, name)) is not None
        }


_names: dict[type[Event], tuple[str, ...]] = {}


def _field_names(cls: type[Event]) -> tuple[str, ...]:
    if cls not in _names:
        _names[cls] = tuple(f.name for f in fields(cls))
    return _names[cls]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePosted(Event):
    """A person's message, or a whole message from history. The same id again replaces it."""

    kind = "message"
    id: str
    role: Literal["user", "assistant", "agent"]
    text: str
    attachments: tuple[Json, ...] = ()
    queued: bool | None = None
    """Waits for its turn; `turn-started` with this message ends the wait."""
    removed: bool | None = None
    """Removed from the queue."""
    ahead: bool | None = None
    """While it waits: before the messages that are not."""
    to: str | None = None
    """While it waits: who gets it, if the chat is with another agent by now; empty for the assistant."""
    handover: str | None = None
    """Sent along with it: what others did in this chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Event):
    kind = "turn-started"
    by: Literal["assistant", "agent"]
    message_id: str
    agent: str | None = None
    session_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSpoken(Event):
    kind = "text-delta"
    message_id: str
    content: str
    block: Json | None = None
    """Content that is not text (an image, a link), as the agent sent it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThoughtSpoken(Event):
    kind = "thought-delta"
    message_id: str
    content: str
    block: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegateSpoke(Event):
    """Text of an agent that works for the assistant, within the call named by `tool_call_id`."""

    kind = "copilot-delta"
    message_id: str
    content: str
    session_name: str
    agent: str
    block: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegateDone(Event):
    """The agent has finished the delegated task, or has failed."""

    kind = "copilot-done"
    session_name: str
    agent: str
    summary: str
    stop_reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReturned(Event):
    """One of the assistant's tools has finished."""

    kind = "tool-result"
    id: str
    name: str
    content: str
    """The result for the model."""
    display: str
    """The full result, for the person."""
    is_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSent(Event):
    """What was sent along with a person's message."""

    kind = "context"
    message_id: str
    skills_folder: str | None = None
    indexed: int
    """How many skills the index names."""
    skills: tuple[Json, ...]
    """The skills that were sent in full."""
    instructions: tuple[str, ...]
    files: tuple[Json, ...]
    left_out: tuple[Json, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSuperseded(Event):
    """An unfinished answer of the model that was requested again."""

    kind = "superseded"
    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallStarted(Event):
    kind = "tool-call"
    id: str
    title: str
    tool_kind: str
    status: str
    name: str | None = None
    input: Any = None
    output: Any = None
    locations: tuple[Json, ...] = ()
    content: tuple[Json, ...] = ()
    meta: Json | None = None
    unasked: bool | None = None
    """It changed something without asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallChanged(Event):
    """A patch: fields left out stay as they were."""

    kind = "tool-update"
    id: str
    title: str | None = None
    tool_kind: str | None = None
    status: str | None = None
    name: str | None = None
    input: Any = None
    output: Any = None
    locations: tuple[Json, ...] | None = None
    content: tuple[Json, ...] | None = None
    meta: Json | None = None
    unasked: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanMade(Event):
    kind = "plan"
    entries: tuple[Json, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked(Event):
    kind = "question"
    id: str
    type: Literal["permission", "form", "url", "confirm", "sign-in"]
    title: str
    detail: Json
    options: tuple[Json, ...]
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswered(Event):
    kind = "answer"
    question_id: str
    outcome: str
    by: Literal["person", "rule", "auto", "cancelled", "expired"]
    option_id: str | None = None
    where: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalOpened(Event):
    """A command runs for an agent."""

    kind = "terminal"
    terminal_id: str
    command: Any
    """A line for the shell, or a list with the program and its arguments."""
    cwd: str | None = None
    takes_input: bool | None = None
    """A person may type into it while it runs."""
    tool: str | None = None
    """The tool call in which the agent runs it itself."""
    told_as: str | None = None
    """The agent's own name for it, if an earlier command had the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalPrinted(Event):
    """A piece of a command's output."""

    kind = "terminal-output"
    terminal_id: str
    data: str
    skipped: int | None = None
    """The number of bytes omitted before this; the text marks the place."""
    held: bool | None = None
    """The rest is shown when the command ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalExited(Event):
    """A command ended, by itself or by a signal; if neither is known, with its agent."""

    kind = "terminal-exit"
    terminal_id: str
    exit_code: int | None = None
    signal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStatusChanged(Event):
    kind = "agent-status"
    agent: str
    status: Literal["starting", "connected", "busy", "disconnected", "error"]
    message: str | None = None
    hint: str | None = None
    sandbox: Literal["standard", "strict"] | None = None
    """The sandbox its process runs in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionsChanged(Event):
    """Modes, models and config options of a session in one form, with their current values."""

    kind = "options"
    options: tuple[Json, ...]
    session_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandsChanged(Event):
    kind = "commands"
    commands: tuple[Json, ...]
    session_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReported(Event):
    kind = "usage"
    usage: Json
    session_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatInfoChanged(Event):
    """Title, workspace, mode, agent, policy and the assistant's model and tools: only what changed."""

    kind = "chat-info"
    title: str | None = None
    workspace: str | None = None
    mode: str | None = None
    agent: str | None = None
    policy: str | None = None
    counts: str | None = None
    """The policy in force, if a setting overrides or has overridden the chat's own."""
    meta: Json | None = None
    """What an agent reports about its session in addition to the title."""
    model: Json | None = None
    """The assistant's model in this chat; empty if the settings decide."""
    tools_off: tuple[str, ...] | None = None
    handover: Json | None = None
    """What the next message takes along for the one who answers it; empty if nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeGiven(Event):
    kind = "notice"
    level: Literal["info", "warning", "error"]
    code: str
    text: str
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(Event):
    """Sent exactly once for each turn."""

    kind = "turn-ended"
    stop_reason: str
    error: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateNotUnderstood(Event):
    kind = "unknown"
    raw: Any


Spoken = TextSpoken | ThoughtSpoken | DelegateSpoke
EVENT_TYPES: tuple[type[Event], ...] = (
    MessagePosted, TurnStarted, TextSpoken, ThoughtSpoken, DelegateSpoke, DelegateDone, ToolReturned,
    ContextSent, MessageSuperseded, ToolCallStarted, ToolCallChanged, PlanMade, QuestionAsked,
    QuestionAnswered,
    TerminalOpened, TerminalPrinted, TerminalExited, AgentStatusChanged, OptionsChanged, CommandsChanged,
    UsageReported,
    ChatInfoChanged, NoticeGiven, TurnEnded, UpdateNotUnderstood,
)  # fmt: skip
