"""A person's consent to something we do for an agent.

Lives here: asking, with exactly what will happen. Lives elsewhere:
what follows from the answer (step/decisions.py), doing it (callbacks/files.py, callbacks/terminals.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.questions.open_questions import NewQuestion
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Request
from voxpilot.storage.database.rows import Session, Turn
from voxpilot.storage.database.states import SessionPhase

OPTIONS: tuple[Json, ...] = (
    {"id": "allow", "label": "Allow", "kind": "allow_once"},
    {"id": "reject", "label": "Reject", "kind": "reject_once"},
)


def may_be_asked(ledger: Ledger, session: Session) -> bool:
    """Whether somebody can be asked: not about work that was stopped, or that no turn requested."""
    turn = ledger.get(Turn, session.turn) if session.turn else None
    return turn is not None and turn.cancelled_at is None and session.phase is SessionPhase.PROMPTING


def seek(
    ledger: Ledger, request: Request, session: Session, purpose: str, title: str, detail: Json, at: float
) -> None:
    """Ask a person whether this may be done."""
    open_questions.ask_ourselves(
        ledger,
        NewQuestion(
            purpose=purpose,
            type="permission",
            title=title,
            detail=detail,
            options=OPTIONS,
            turn=session.turn,
            request=request,
            session=session,
            agent=session.agent,
        ),
        at,
    )
