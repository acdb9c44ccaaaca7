"""Agents that act without asking.

Lives here: noticing that a tool call has changed something and that nobody was
asked about it. Lives elsewhere: which calls change something
(chat/acting.py), what agents ask (requests/agent_questions.py).
"""

from __future__ import annotations

from voxpilot.chat.acting import has_acted
from voxpilot.chat.events import Fields
from voxpilot.chat.permissions.calls import became_another
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Session
from voxpilot.storage.database.states import SessionPhase


def unasked(ledger: Ledger, session: Session, id: str, fields: Fields) -> bool | None:
    """True if a call is now known to have acted without asking, otherwise None.

    Delegated work is not asked about by design, and repeated histories are not new.
    """
    if session.tool_call_id is not None or session.phase is not SessionPhase.PROMPTING:
        return None
    known: Fields = ledger.transcript.tool(id, None) or {}
    call = {**known, **fields} if known.get("turn") == session.turn else fields
    if call.get("unasked") or not has_acted(call) or call.get("tool_kind") in (session.always or ()):
        return None
    asked = _was_asked(ledger, session, id, call) or _ran_here(ledger, session, call)
    return None if asked else True


def _was_asked(ledger: Ledger, session: Session, id: str, call: Fields) -> bool:
    """Whether there was a question about this call, and the call is still the same."""
    if not ledger.transcript.was_asked(session.turn, id, None):
        return False
    question: Fields = ledger.transcript.asked_about(id, None) or {}
    return "cut" in question or not became_another(question.get("detail") or {}, call)


def _ran_here(ledger: Ledger, session: Session, call: Fields) -> bool:
    """Its command was run by us, and we run none without consent."""
    shown = [item.get("terminalId") for item in call.get("content") or () if item.get("type") == "terminal"]
    terminals = [ledger.transcript.find("terminal", str(terminal)) for terminal in shown]
    return bool(shown) and all(found and found.get("turn") == session.turn for found in terminals)
