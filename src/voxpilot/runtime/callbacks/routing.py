"""Requests of agents to do something for them: whether we do it at all, and which module handles it.

Lives here: the first check, and passing the request on. Lives
elsewhere: files (files.py), commands (terminals.py).
"""

from __future__ import annotations

from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.requests import callbacks
from voxpilot.agents.requests.dialogue import HelpWanted
from voxpilot.errors import Invalid, NotFound
from voxpilot.runtime.callbacks import files, terminals
from voxpilot.runtime.questions import open_questions
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import Process
from voxpilot.storage.database.subjects import Callback, Stage


def begin(ledger: Ledger, catalog: Catalog, help: HelpWanted, at: float) -> None:
    """Accept an agent's request, if we offer this and the session belongs to the agent."""
    request, session = help.request, help.session
    if not getattr(catalog.describe(_agent(ledger, request)), callbacks.ability_of(request)):
        callbacks.not_offered(ledger, request)
        return
    if session is None:
        callbacks.failed(ledger, request, Invalid("Session not found."))
        return
    try:
        request = ledger.change(request, subject=callbacks.wanted(request, help.params, session))
        room = files if callbacks.ability_of(request) == "fs" else terminals
        room.begin(ledger, request, session)
    except (Invalid, NotFound) as error:
        callbacks.failed(ledger, request, error)


def withdraw(ledger: Ledger, request: Request, at: float) -> None:
    """The agent no longer wants an answer; work that is already running on the disk is finished and shown."""
    open_questions.withdraw(ledger, request, at)
    stage = request.subject.stage if isinstance(request.subject, Callback) else None
    waits = request.purpose is Purpose.WAIT_FOR_COMMAND or stage in (Stage.LOOK, Stage.PLACE)
    if waits and ledger.get(Request, request.id) is not None:  # and nobody is asked about it any more
        callbacks.stopped(ledger, request)


def _agent(ledger: Ledger, request: Request) -> str:
    process = ledger.get(Process, request.process_id)
    return process.agent if process else ""
