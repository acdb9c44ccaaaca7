"""The rows of the assistant: its model's steps and the tools they call.

Lives here: what these two tables hold. Lives elsewhere: all other rows (rows.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from voxpilot.chat.events import Json
from voxpilot.storage.rows import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStep(Row):
    """One answer of the assistant's model: stored whole before any of its calls begins."""

    TABLE = "model_steps"
    JSON = frozenset({"message", "usage"})
    id: str
    chat_id: str
    turn: str
    number: int
    state: Literal["asking", "done", "failed"] = "asking"
    attempts: int = 0
    """How often the model was asked; more than once only after the server had died."""
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
    id: str
    chat_id: str
    turn: str
    step: str
    number: int
    provider_id: str
    """What the model calls it."""
    name: str
    arguments: Json
    state: Literal["waiting", "running", "done"] = "waiting"
    agreed: str | None = None
    """The path outside the workspace that a person agreed to."""
    content: str | None = None
    """The result as the model gets it."""
    display: str | None = None
    """All of the result, for the person."""
    is_error: bool = False
    cut: bool = False
    """Its agent was gone before it was done, or the server had died over it too often."""
    created_at: float
    ended_at: float | None = None
    over: bool = False
    """Its turn has ended."""
