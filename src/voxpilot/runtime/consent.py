"""A person's consent to what we are to do for an agent.

Lives here: putting the question, with exactly what will happen. Lives elsewhere:
what follows from the answer (decisions.py), doing it (files.py, terminals.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json
from voxpilot.runtime import questions
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Request, Session, Turn

OPTIONS: tuple[Json, ...] = (
    {"id": "allow", "label": "Allow", "kind": "allow_once"},
    {"id": "reject", "label": "Reject", "kind": "reject_once"},
)


def may_be_asked(ledger: Ledger, session: Session) -> bool:
    """Whether somebody can agree: nobody may to what was stopped, or what no turn asked for."""
    turn = ledger.get(Turn, session.turn) if session.turn else None
    return turn is not None and turn.cancelled_at is None and session.prompting


def seek(
    ledger: Ledger, request: Request, session: Session, purpose: str, title: str, detail: Json, at: float
) -> None:
    """Ask a person whether this may be done."""
    questions.ask_ourselves(
        ledger,
        purpose,
        "permission",
        title,
        detail,
        OPTIONS,
        at,
        turn=session.turn,
        request=request,
        session=session,
        agent=session.agent,
    )
