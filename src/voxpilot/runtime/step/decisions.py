"""What follows from a person's answer to a question of our own.

Lives here: one consequence for each purpose of a question. An agent's own questions have none, because the
agent got the answer. Lives elsewhere: asking and deciding (questions/open_questions.py).
"""

from __future__ import annotations

from collections.abc import Callable

from voxpilot.agents.installed.catalog import Catalog
from voxpilot.runtime.assistant import assistant_turn
from voxpilot.runtime.callbacks import files, terminals
from voxpilot.runtime.processes import command_approval, lost_context, sign_in, trust
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.turns import turn
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Question, Turn

Consequence = Callable[[Ledger, Question, float], None]
_CONSEQUENCES: dict[str, Consequence] = {
    files.PURPOSE: files.decided,
    assistant_turn.OUTSIDE: assistant_turn.reading_decided,
    lost_context.CONTEXT: lost_context.decided,
    trust.PURPOSE: trust.decided,
    command_approval.PURPOSE: command_approval.decided,
    terminals.PURPOSE: terminals.decided,
}


def answer(
    ledger: Ledger,
    catalog: Catalog,
    question_id: str,
    option_id: str,
    where: str,
    reason: str | None,
    at: float,
) -> Question:
    """A person chose an option: decide, and do what follows."""
    decided = _follow(ledger, open_questions.answer(ledger, question_id, option_id, where, reason, at), at)
    if decided.purpose == sign_in.PURPOSE:  # which nobody else decides
        sign_in.decided(ledger, catalog, decided, at)
    _look_again(ledger, decided)
    is_refused = decided.type == "permission" and (decided.outcome or "").startswith("reject")
    if reason and is_refused and ledger.chat.agent is not None:
        # An answer to an agent has no field for the reason, so the reason becomes the next message.
        turn.post(ledger, reason, (), at, ahead=True)
    return decided


def _look_again(ledger: Ledger, decided: Question) -> None:
    """A person who allows something has looked at it, so the turn gets its full number of changes without
    asking again."""
    found = ledger.get(Turn, decided.turn or "")
    if found is not None and decided.type == "permission" and (decided.outcome or "").startswith("allow"):
        ledger.change(found, unasked_left=None)


def decide_for_person(
    ledger: Ledger, question: Question, option_id: str, by: str, at: float, reason: str | None = None
) -> Question:
    """A policy, a rule or the clock chose an option."""
    return _follow(ledger, open_questions.choose_for_person(ledger, question, option_id, by, at, reason), at)


def turn_down(ledger: Ledger, question: Question, why: str, at: float) -> None:
    """Nobody answered: reject the question in the way it offers."""
    refusal = next((o["id"] for o in question.options if o.get("kind") == "reject_once"), None)
    if refusal is not None:
        decide_for_person(ledger, question, refusal, "expired", at, why)
    else:
        open_questions.cancel(ledger, question, at, "expired", why)


def _follow(ledger: Ledger, decided: Question, at: float) -> Question:
    if (consequence := _CONSEQUENCES.get(decided.purpose)) is not None:
        consequence(ledger, decided, at)
    return decided
