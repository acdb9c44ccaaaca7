"""What a request to or from an agent is about, as frozen values.

Lives here: one value for each kind of request, and reading it back from its row. The names of the fields are
stored. Lives elsewhere: the row (request_rows.py), what follows from it (runtime/).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from enum import StrEnum
from typing import Any

from voxpilot.chat.events import Json
from voxpilot.values import dataclass


class Stage(StrEnum):
    """What is to be done next for an agent, outside the step."""

    READ = "read"
    LOOK = "look"
    """Look at what is there before a person is asked about a write."""
    WRITE = "write"
    PLACE = "place"
    """Check the folder in which a command is to run."""
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The base of all subjects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing(About):
    """The request is about the process."""


NOTHING = Nothing()
OptionValue = str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningIn(About):
    turn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSession(About):
    session_name: str
    page: int = 1
    """The page of the agent's session list, when one is looked up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(About):
    session: str = ""
    turn: str | None = None
    task: str | None = None

    @property
    def task_id(self) -> str | None:
        """Prompts from older versions name only their turn; its one task has the same id."""
        return self.task or self.turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(About):
    session: str
    option: str
    before: OptionValue = None
    """The previously shown choice."""
    value: OptionValue = None
    """None in requests from older versions."""
    is_model: bool = False
    chosen: str | None = None
    """For a model: the person's previous choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Callback(About):
    """Something that an agent asks us to do on this machine."""

    session: str
    turn: str | None = None
    tool_call_id: str | None = None
    stage: Stage | None = None
    """None while it waits for a person or for a command's end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRequest(Callback):
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile(FileRequest):
    line: int | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFile(FileRequest):
    content: str
    before: str | None = None
    """The version that the person was shown; only this version is overwritten."""
    tool: str | None = None
    """The tool call in which the write is shown."""
    ours: bool = False
    """We show that call, not the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand(Callback):
    command: str
    args: tuple[str, ...] = ()
    cwd: str | None = None
    env: Mapping[str, str]
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRequest(Callback):
    """About a command that runs: its output, its end."""

    terminal: str


Subject = (
    Nothing | SigningIn | OpenSession | Prompt | Choice | ReadFile | WriteFile | RunCommand | CommandRequest
)
"""What a request may be about."""


def read_subject(cls: type[Subject], stored: Json) -> Subject:
    """The subject stored in a row; NOTHING if required fields are missing.

    Unknown fields are ignored.
    """
    known = fields(cls)
    needed = [field.name for field in known if field.default is MISSING]
    if any(name not in stored for name in needed):
        return NOTHING
    values = {field.name: _value(stored[field.name]) for field in known if field.name in stored}
    if cls is Choice:
        values.setdefault("is_model", "chosen" in stored)  # the form used by older versions
    if values.get("stage") is not None:
        values["stage"] = Stage(values["stage"])
    return cls(**values)


def _value(stored: object) -> Any:
    return tuple(stored) if isinstance(stored, list) else stored
