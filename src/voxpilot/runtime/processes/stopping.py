"""Ending an agent whose sessions are no longer needed.

Lives here: asking it to close them first, if it supports that, and how long to wait; everything is in the
rows, so that a restart changes nothing. Lives elsewhere: ending the process (live_chat.py), and ending one
whose sessions are kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from voxpilot.agents.installed.capabilities import abilities_of
from voxpilot.agents.requests import sessions
from voxpilot.runtime.shared.stop import stop_process
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import Process, Session
from voxpilot.storage.database.states import ProcessState, SessionPhase

CLOSE_SECONDS = 2.0
"""An agent that has not closed its sessions by then is ended anyway."""


def end(ledger: Ledger, process: Process, now: float) -> None:
    """End it immediately, or as soon as it has closed its sessions."""
    if process.state is ProcessState.READY and abilities_of(process.initialized).close:
        for session in ledger.all(Session):
            if session.process_id == process.id and session.phase is not SessionPhase.RESTORING:
                sessions.close(ledger, session, now)
    stop_process(ledger, process, at_once=True)


def may_go(ledger: Ledger, process: Process) -> bool:
    """Whether a process can be ended without waiting any longer."""
    return not _closing(ledger, process)


def on_time(ledger: Ledger, process: Process, now: float) -> None:
    for request in _closing(ledger, process):
        if now >= request.created_at + CLOSE_SECONDS:
            sessions.abandon(ledger, request, "no answer in time", is_told=False)


def deadlines(ledger: Ledger, process: Process) -> Iterator[float]:
    for request in _closing(ledger, process):
        yield request.created_at + CLOSE_SECONDS


def _closing(ledger: Ledger, process: Process) -> list[Request]:
    return [r for r in ledger.all(Request) if r.process_id == process.id and r.purpose is Purpose.CLOSE]
