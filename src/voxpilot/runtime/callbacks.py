"""What agents ask us to do: whether we do it at all, and who sees to it.

Lives here: the check that comes before everything else, and the way on. Lives
elsewhere: files (files.py), commands (terminals.py).
"""

from __future__ import annotations

from voxpilot.agents import callbacks
from voxpilot.agents.catalog import Catalog
from voxpilot.agents.dialogue import HelpWanted
from voxpilot.chat.events import Json
from voxpilot.errors import Invalid, NotFound
from voxpilot.runtime import files, questions, terminals
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Request, Session


def begin(ledger: Ledger, catalog: Catalog, help: HelpWanted, at: float) -> None:
    """Take in what an agent wants done, if it is offered and the session is its own."""
    request, session = help.request, help.session
    if not getattr(catalog.describe(_agent(ledger, request)), callbacks.ability_of(request)):
        callbacks.not_offered(ledger, request)
        return
    if session is None:
        callbacks.failed(ledger, request, Invalid("There is no such session."))
        return
    try:
        wanted = callbacks.wanted(request, help.params)
        request = ledger.change(request, subject={**wanted, **_whose(session)})
        room = files if callbacks.ability_of(request) == "fs" else terminals
        room.begin(ledger, request, session)
    except (Invalid, NotFound) as error:
        callbacks.failed(ledger, request, error)


def withdraw(ledger: Ledger, request: Request, at: float) -> None:
    """The agent no longer wants an answer; what is being done on the disk is still done and told."""
    questions.withdraw(ledger, request, at)
    waits = request.subject.get("do") == "wait" or request.subject.get("stage") in ("look", "place")
    if waits and ledger.get(Request, request.id) is not None:  # and nobody is asked about it any more
        callbacks.stopped(ledger, request)


def _agent(ledger: Ledger, request: Request) -> str:
    process = ledger.get(Process, request.process_id)
    return process.agent if process else ""


def _whose(session: Session) -> Json:
    return {"session": session.id, "turn": session.turn, "tool_call_id": session.tool_call_id}
