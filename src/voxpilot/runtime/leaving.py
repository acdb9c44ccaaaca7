"""Ending an agent whose sessions are not wanted any more.

Lives here: having it close them first, where it offers that, and for how long
it is waited for; everything is in the rows, so that a restart changes nothing.
Lives elsewhere: ending the process (live_chat.py), ends that keep the sessions.
"""

from __future__ import annotations

from collections.abc import Iterator

from voxpilot.agents import sessions
from voxpilot.agents.abilities import abilities_of
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Request, Session

CLOSE_SECONDS = 2.0
"""An agent that has not closed its sessions by then is ended all the same."""


def end(ledger: Ledger, process: Process, now: float) -> None:
    """End it at once, or as soon as it has closed its sessions."""
    if process.state == "ready" and abilities_of(process.initialized).close:
        for session in ledger.all(Session):
            if session.process_id == process.id and session.acp_session_id and session.loading is None:
                sessions.close(ledger, session, now)
    ledger.change(process, state="stopping", force=True)


def may_go(ledger: Ledger, process: Process) -> bool:
    """Whether a process that is to end is not waited for."""
    return not _closing(ledger, process)


def on_time(ledger: Ledger, process: Process, now: float) -> None:
    for request in _closing(ledger, process):
        if now >= request.created_at + CLOSE_SECONDS:
            ledger.change(request, response={"error": {"message": "no answer in time"}})


def deadlines(ledger: Ledger, process: Process) -> Iterator[float]:
    for request in _closing(ledger, process):
        yield request.created_at + CLOSE_SECONDS


def _closing(ledger: Ledger, process: Process) -> list[Request]:
    return [r for r in ledger.all(Request) if r.process_id == process.id and r.method == sessions.CLOSE]
