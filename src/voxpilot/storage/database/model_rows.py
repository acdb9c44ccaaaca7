"""The rows of the assistant: its model's steps and the tools they call.

Lives here: what these two tables hold. Lives elsewhere: all other rows (rows.py).
"""

from __future__ import annotations

from types import MappingProxyType

from voxpilot.chat.events import Json
from voxpilot.storage.database.rows import Row
from voxpilot.storage.database.states import CallState, StepState
from voxpilot.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStep(Row):
    """One answer of the assistant's model, stored completely before any of its calls starts."""

    TABLE = "model_steps"
    JSON = frozenset({"message", "usage"})
    ENUMS = MappingProxyType({"state": StepState})
    id: str
    chat_id: str
    turn: str
    number: int
    state: StepState = StepState.ASKING
    attempts: int = 0
    """How often the model was asked; more than once only after a crash of the server."""
    message_id: str | None = None
    """The message that its text is shown as."""
    message: Json | None = None
    """The answer as the provider's library keeps it."""
    text: str = ""
    usage: Json | None = None
    created_at: float
    over: bool = False
    """Its turn has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Row):
    """A tool that the model called."""

    TABLE = "calls"
    JSON = frozenset({"arguments"})
    ENUMS = MappingProxyType({"state": CallState})
    id: str
    chat_id: str
    turn: str
    step: str
    number: int
    provider_id: str
    """The model's id for it."""
    name: str
    arguments: Json
    state: CallState = CallState.WAITING
    agreed: str | None = None
    """The path outside the workspace that a person allowed."""
    content: str | None = None
    """The result as the model gets it."""
    display: str | None = None
    """The full result, for the person."""
    is_error: bool = False
    cut: bool = False
    """Its agent ended before it was done, or the server crashed too often while it ran."""
    created_at: float
    ended_at: float | None = None
    over: bool = False
    """Its turn has ended."""
