"""What follows from a person's answer to a question of our own.

Lives here: one consequence for each purpose of a question. An agent's own
questions have none: the agent got the answer. Lives elsewhere: asking and
deciding (questions.py).
"""

from __future__ import annotations

from collections.abc import Callable

from voxpilot.runtime import files, questions, restoring, signing_in
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Question

Consequence = Callable[[Ledger, Question, float], None]
_CONSEQUENCES: dict[str, Consequence] = {
    files.PURPOSE: files.decided,
    restoring.CONTEXT: restoring.context_decided,
    signing_in.PURPOSE: signing_in.decided,
}


def answer(
    ledger: Ledger, question_id: str, option_id: str, where: str, reason: str | None, at: float
) -> Question:
    """A person chose an option: decide, and do what follows."""
    decided = questions.answer(ledger, question_id, option_id, where, reason, at)
    if (consequence := _CONSEQUENCES.get(decided.purpose)) is not None:
        consequence(ledger, decided, at)
    return decided
