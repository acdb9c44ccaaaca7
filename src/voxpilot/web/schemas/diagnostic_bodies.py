"""Bodies of responses with diagnostics.

Lives here: their shapes. Lives elsewhere: what is found (runtime/diagnostics.py).
"""

from __future__ import annotations

from typing import Literal

from voxpilot.web.schemas.bodies import Answer


class RunningProcess(Answer):
    pid: int
    parent: int
    name: str
    is_keeper: bool
    """It is the background process of the agent."""
    cpu_percent: float
    """Of one core, just now."""
    cpu_seconds: float
    memory_bytes: int


class AgentProcess(Answer):
    id: str
    agent: str
    agent_name: str
    state: str
    started_at: float
    ended_at: float | None
    ended: str | None
    """Why it ended, in one word."""
    stderr: str
    """The end of its error output, with secrets masked."""
    processes: list[RunningProcess]
    left_out: int
    """How many more there are."""


class AgentProcesses(Answer):
    frames_on: bool
    texts_on: bool
    agents: list[AgentProcess]
    """Newest first."""


class FrameInfo(Answer):
    """One line on the wire, without texts and secrets."""

    offset: int
    at: float
    way: Literal["to-agent", "from-agent", "keeper"]
    kind: Literal["request", "response", "notification", "unreadable", "note"]
    method: str
    id: str
    bytes: int
    is_error: bool
    text: str


class Frames(Answer):
    frames: list[FrameInfo]
    is_whole: bool
    """There are no earlier ones."""


class Report(Answer):
    text: str
