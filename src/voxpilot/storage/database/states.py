"""The states of rows; the values are stored.

Lives here: one enum for each kind of row that has a state. Lives elsewhere: the rows (rows.py,
request_rows.py, model_rows.py), what leads from one state to the next (runtime/).
"""

from __future__ import annotations

from enum import StrEnum


class TurnState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    """A person stopped it, or removed it from the queue."""
    INTERRUPTED = "interrupted"
    """Its agent or the server ended in the middle of it."""


OPEN_TURN = (TurnState.QUEUED, TurnState.RUNNING)


class ProcessState(StrEnum):
    WAITING = "waiting"
    """For its place in the start queue."""
    STARTING = "starting"
    """It has not answered our first request yet."""
    READY = "ready"
    STOPPING = "stopping"
    ENDED = "ended"


class SessionPhase(StrEnum):
    """What a session is doing. Opening a new one is a request, so it has no phase."""

    UNOPENED = "unopened"
    """The agent has no such session: none was opened yet, or it is lost."""
    CLOSED = "closed"
    """It is in the agent's own history, and no process has it open."""
    RESTORING = "restoring"
    """A process was told to open it again, and may repeat its history."""
    IDLE = "idle"
    PROMPTING = "prompting"


HELD = (SessionPhase.RESTORING, SessionPhase.IDLE, SessionPhase.PROMPTING)
"""Phases of a session that belongs to a process."""


class Direction(StrEnum):
    """Who made a request."""

    OUT = "out"
    """We did."""
    IN = "in"
    """The agent did."""


class QuestionState(StrEnum):
    OPEN = "open"
    DECIDED = "decided"
    """Also if it was cancelled or has expired."""


class StepState(StrEnum):
    """Of a step of the assistant's model."""

    ASKING = "asking"
    DONE = "done"
    """The answer is stored; its calls may still run."""
    FAILED = "failed"


class CallState(StrEnum):
    """Of a tool that the assistant's model called."""

    WAITING = "waiting"
    """To be started, or for a person."""
    RUNNING = "running"
    DONE = "done"
