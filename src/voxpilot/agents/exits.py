"""Why an agent is no longer there, in words.

Lives here: reading the last record of a journal. Lives elsewhere: what an
agent's end does to a turn (runtime/turn.py).
"""

from __future__ import annotations

import errno
import signal
from dataclasses import dataclass

from voxpilot.agents.catalog import Agent
from voxpilot.chat.events import Json

ORDERLY = frozenset({"idle", "stopped", "killed", "unattached"})
"""Ends that we asked for, or that the keeper made for want of work."""
NOT_TAKEN = frozenset({"idle", "unattached"})
"""Ends after which an unsent prompt may go to a new process."""
STDERR_LINES = 20


@dataclass(frozen=True, slots=True)
class Exit:
    message: str
    hint: str = ""
    detail: str = ""
    """The last lines the agent wrote to its error output."""


def explain(end: Json, agent: Agent) -> Exit:
    detail = "\n".join(str(end.get("stderr") or "").splitlines()[-STDERR_LINES:])
    reason = end.get("reason")
    if reason == "not-started":
        return _not_started(end, agent)
    if reason == "lost":
        return Exit("The process that kept the agent was killed, and the agent with it.", detail=detail)
    if reason == "busy-limit":
        return Exit("The agent was ended: it worked too long with no server there.", detail=detail)
    if reason in ORDERLY:
        return Exit("The agent was stopped.", detail=detail)
    if end.get("signal"):
        return Exit(
            f"{agent.display_name} crashed (signal {end['signal']}, {_signal_name(end['signal'])}).",
            "What it said so far is kept. Send a message to start it again.",
            detail,
        )
    return Exit(
        f"{agent.display_name} ended by itself with exit code {end.get('exit')}.",
        f"{'Its last words below may say why. ' if detail else ''}Send a message to start it again.",
        detail,
    )


def _not_started(end: Json, agent: Agent) -> Exit:
    if end.get("where") == "cwd":
        return Exit("The chat's folder is missing or may not be entered.", "Choose another folder.")
    if "hint" in end:  # it was not even tried
        why = str(end.get("error")).rstrip(".")
        return Exit(f"{agent.display_name} could not be started: {why}.", str(end["hint"]))
    if end.get("errno") == errno.ENOENT and agent.path is None:
        hint = f"Searched: {agent.search_path}."
        return Exit(
            f"{agent.command!r} was not found on PATH.",
            f"{agent.install_hint} {hint}".strip() if agent.install_hint else f"Install it. {hint}",
        )
    return Exit(
        f"{agent.command!r} could not be started: {end.get('error')}.",
        "Check that it is a program for this machine and may be run.",
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
