"""What follows from a person's answer to a question of our own.

Lives here: one consequence for each purpose of a question. An agent's own
questions have none: the agent got the answer. Lives elsewhere: asking and
deciding (questions.py).
"""

from __future__ import annotations

from collections.abc import Callable

from voxpilot.agents.catalog import Catalog
from voxpilot.runtime import (
    agreeing,
    assisting,
    files,
    questions,
    restoring,
    signing_in,
    terminals,
    trust,
    turn,
)
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Question

Consequence = Callable[[Ledger, Question, float], None]
_CONSEQUENCES: dict[str, Consequence] = {
    files.PURPOSE: files.decided,
    assisting.OUTSIDE: assisting.reading_decided,
    restoring.CONTEXT: restoring.context_decided,
    trust.PURPOSE: trust.decided,
    agreeing.PURPOSE: agreeing.decided,
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
    decided = _follow(ledger, questions.answer(ledger, question_id, option_id, where, reason, at), at)
    if decided.purpose == signing_in.PURPOSE:  # which nobody else decides
        signing_in.decided(ledger, catalog, decided, at)
    is_refused = decided.type == "permission" and (decided.outcome or "").startswith("reject")
    if reason and is_refused and ledger.chat.agent is not None:
        # No answer to an agent can say why, so it is the next thing the person says.
        turn.post(ledger, reason, (), at, ahead=True)
    return decided


def decide_for_person(
    ledger: Ledger, question: Question, option_id: str, by: str, at: float, reason: str | None = None
) -> Question:
    """A policy, a rule or the clock chose an option."""
    return _follow(ledger, questions.choose_for_person(ledger, question, option_id, by, at, reason), at)


def turn_down(ledger: Ledger, question: Question, why: str, at: float) -> None:
    """Nobody answered: say no, as the question would have it."""
    refusal = next((o["id"] for o in question.options if o.get("kind") == "reject_once"), None)
    if refusal is not None:
        decide_for_person(ledger, question, refusal, "expired", at, why)
    else:
        questions.cancel(ledger, question, at, "expired", why)


def _follow(ledger: Ledger, decided: Question, at: float) -> Question:
    if (consequence := _CONSEQUENCES.get(decided.purpose)) is not None:
        consequence(ledger, decided, at)
    return decided
