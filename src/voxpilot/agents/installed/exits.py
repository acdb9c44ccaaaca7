"""Why an agent ended, explained for a person.

Lives here: reading the last record of a journal. Lives elsewhere: what an
agent's end does to a turn (runtime/step/progress.py).
"""

from __future__ import annotations

import errno
import os
import signal

from voxpilot.agents.installed.catalog import Agent
from voxpilot.chat.events import Json
from voxpilot.errors import Problem

ORDERLY = frozenset({"idle", "stopped", "killed", "unattached"})
"""Ends that we asked for, or that the keeper caused because there was no work."""
NOT_TAKEN = frozenset({"idle", "unattached"})
"""Ends after which an unsent prompt may go to a new process."""
STDERR_LINES = 20
NO_PROGRAM, CANNOT_RUN = 127, 126
"""With these a shell or launcher says that a program it should start does not exist, or does not run."""


def explain(end: Json, agent: Agent) -> Problem:
    detail = "\n".join(str(end.get("stderr") or "").splitlines()[-STDERR_LINES:])
    reason = end.get("reason")
    if reason == "not-started":
        return _not_started(end, agent)
    if reason == "lost":
        return Problem("The agent's background process was killed, so the agent stopped too.", detail=detail)
    if reason == "deleted":
        text = "The agent was stopped because its files in the data directory were deleted."
        return Problem(text, "Send a message to start it again.", detail)
    if reason in ("closed-stdin", "closed-stdout"):
        what = "closed its output" if reason == "closed-stdout" else "stopped reading its input"
        return Problem(
            f"{agent.display_name} {what} without exiting, so it was stopped.",
            "Its output so far is saved. Send a message to start it again.",
            detail,
        )
    if reason == "busy-limit":
        return Problem(
            "The agent was stopped because it worked for too long while no server was running.", detail=detail
        )
    if reason in ORDERLY:
        return Problem("The agent was stopped.", detail=detail)
    if end.get("signal"):
        return Problem(
            f"{agent.display_name} crashed (signal {end['signal']}, {_signal_name(end['signal'])}).",
            "Its output so far is saved. Send a message to start it again.",
            detail,
        )
    if agent.entry.sandbox != "off" and detail.rpartition("\n")[2].startswith(("bwrap: ", "sandbox: ")):
        return Problem(
            "The agent was not started because its sandbox could not be set up.",
            "Run `voxpilot doctor` to see what this machine supports. You "
            "can change the sandbox in the settings.",
            detail,
        )
    if end.get("exit") in (NO_PROGRAM, CANNOT_RUN):
        return _launcher_failed(end, agent, detail)
    also = f", or signal {_signal_name(end['maybe_signal'])}" if end.get("maybe_signal") else ""
    return Problem(
        f"{agent.display_name} exited unexpectedly (exit code {end.get('exit')}{also}).",
        f"{'Its last output below may explain why. ' if detail else ''}Send a message to start it again.",
        detail,
    )


def _launcher_failed(end: Json, agent: Agent, detail: str) -> Problem:
    """The program started, but not what it should start in turn: `env`, `npx`, a script or an interpreter."""
    code = end.get("exit")
    why = "was not found" if code == NO_PROGRAM else "could not be run"
    read = "Its last output below may name it. " if detail else ""
    return Problem(
        f"{agent.display_name} stopped because a program that it needs {why} (exit code {code}).",
        f"{read}{agent.how_to_install} If it is installed, check its command in the settings.",
        detail,
    )


def _not_started(end: Json, agent: Agent) -> Problem:
    if end.get("where") == "cwd":
        return Problem("The chat's folder is missing or not accessible.", "Choose another folder.")
    if "hint" in end:  # the program was never run
        why = str(end.get("error")).rstrip(".")
        return Problem(f"{agent.display_name} could not be started: {why}.", str(end["hint"]))
    if end.get("where") == "disk":
        error = f"{agent.display_name} could not be started. {end.get('error')}."
        return Problem(
            error, "Send the message again when the disk responds, or choose another folder for the chat."
        )
    if end.get("where") == "machine":
        return Problem(
            f"{agent.display_name} could not be started. {end.get('error')}.",
            "Close some programs or stop some agents, then send the message again.",
        )
    if end.get("errno") == errno.ENOENT and agent.command.startswith("/"):
        hint = f"{agent.how_to_install} If it is elsewhere, change its path in the settings."
        return Problem(f"{agent.command!r} was not found.", hint)
    if end.get("errno") == errno.ENOENT:
        searched = str(end.get("searched") or agent.search_path).split(os.pathsep)
        known = filter(None, agent.search_path.split(os.pathsep))
        silent = [folder for folder in known if folder not in searched]
        hint = f"{agent.how_to_install} Searched folders: {', '.join(searched)}."
        hint += f" These folders did not respond: {', '.join(silent)}." if silent else ""
        return Problem(f"{agent.command!r} was not found on PATH.", hint)
    return Problem(
        f"{agent.command!r} could not be started: {end.get('error')}.",
        "Check that it is executable and built for this machine.",
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
