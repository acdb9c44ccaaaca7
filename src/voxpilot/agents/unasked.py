"""Agents that act without asking.

Lives here: noticing that a tool call has changed something and that nobody was
asked about it. Lives elsewhere: which calls change something
(chat/permissions.py), what agents ask (wishes.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json
from voxpilot.chat.permissions import has_acted
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Session


def unasked(ledger: Ledger, session: Session, id: str, fields: Json) -> bool | None:
    """True for the news that a call has acted unasked; None for all else.

    What the assistant hands on is not asked about by design, and histories that are repeated are old news.
    """
    if session.tool_call_id is not None or not session.prompting or session.loading is not None:
        return None
    known = ledger.transcript.tool(id, None) or {}
    call = {**known, **fields} if known.get("turn") == session.turn else fields
    if call.get("unasked") or not has_acted(call) or call.get("tool_kind") in (session.always or ()):
        return None
    asked = ledger.transcript.was_asked(session.turn, id, None) or _ran_here(ledger, session, call)
    return None if asked else True


def _ran_here(ledger: Ledger, session: Session, call: Json) -> bool:
    """Its command ran through us, and we do not run any without consent."""
    shown = [item.get("terminalId") for item in call.get("content") or () if item.get("type") == "terminal"]
    terminals = [ledger.transcript.find("terminal", str(terminal)) for terminal in shown]
    return bool(shown) and all(found and found.get("turn") == session.turn for found in terminals)
