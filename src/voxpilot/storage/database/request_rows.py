"""The rows of requests between us and an agent, and what each request is for.

Lives here: what the table holds. Lives elsewhere: all other rows (rows.py), which
request of the protocol has which purpose (agents/requests/purposes.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Self, TypeVar

from voxpilot.chat.events import Json
from voxpilot.storage.database.rows import Row
from voxpilot.storage.database.states import Direction
from voxpilot.storage.database.subjects import (
    NOTHING,
    About,
    Choice,
    CommandRequest,
    Nothing,
    OpenSession,
    Prompt,
    ReadFile,
    RunCommand,
    SigningIn,
    Subject,
    WriteFile,
    read_subject,
)
from voxpilot.values import dataclass

S = TypeVar("S", bound=About)


class Purpose(StrEnum):
    """What a request is for; the values are stored."""

    # Our requests
    START = "start"
    SIGN_IN = "sign-in"
    OPEN = "open"
    """A new session."""
    LOOK_UP = "look-up"
    """Asks whether the agent still has a session."""
    LOAD = "load"
    """A session of an earlier process; the agent repeats its history."""
    RESUME = "resume"
    """The same without the history."""
    PROMPT = "prompt"
    CHOOSE = "choose"
    """A mode, a model or another option."""
    CLOSE = "close"

    # The agent's requests
    PERMISSION = "permission"
    FORM = "form"
    """A form or a link for the person."""
    READ_FILE = "read-file"
    WRITE_FILE = "write-file"
    RUN_COMMAND = "run-command"
    COMMAND_OUTPUT = "command-output"
    WAIT_FOR_COMMAND = "wait-for-command"
    KILL_COMMAND = "kill-command"
    RELEASE_COMMAND = "release-command"

    OTHER = "other"
    """A request we do not know."""


SUBJECTS: Mapping[Purpose, type[Subject]] = {
    Purpose.SIGN_IN: SigningIn,
    Purpose.OPEN: OpenSession,
    Purpose.LOOK_UP: OpenSession,
    Purpose.LOAD: OpenSession,
    Purpose.RESUME: OpenSession,
    Purpose.PROMPT: Prompt,
    Purpose.CHOOSE: Choice,
    Purpose.READ_FILE: ReadFile,
    Purpose.WRITE_FILE: WriteFile,
    Purpose.RUN_COMMAND: RunCommand,
    Purpose.COMMAND_OUTPUT: CommandRequest,
    Purpose.WAIT_FOR_COMMAND: CommandRequest,
    Purpose.KILL_COMMAND: CommandRequest,
    Purpose.RELEASE_COMMAND: CommandRequest,
}
"""What requests of a purpose are about; all others are about nothing in particular."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Row):
    """A JSON-RPC request in either direction. Open while it has no response."""

    TABLE = "requests"
    JSON = frozenset({"subject", "response"})
    ENUMS = MappingProxyType({"direction": Direction, "purpose": Purpose})
    id: str
    process_id: str
    direction: Direction
    rpc_id: str
    """The id as JSON text, so that 0 and "0" differ."""
    method: str
    """The protocol's name for it; used only in `agents/`."""
    purpose: Purpose = Purpose.OTHER
    """What it is for, in our words."""
    subject: Subject = NOTHING
    """What it is about: a session, a turn, a file, a command."""
    response: Json | None = None
    created_at: float

    def about(self, cls: type[S]) -> S:
        """The subject, which must be of this kind."""
        assert isinstance(self.subject, cls)
        return self.subject

    @classmethod
    def from_stored(cls, values: dict[str, Any]) -> Self:
        kind = SUBJECTS.get(values["purpose"], Nothing)
        return cls(**{**values, "subject": read_subject(kind, values["subject"])})
