"""The route that answers a question.

Lives here: from a request to the decision, and what happens if somebody else decided first. Lives
elsewhere: deciding (runtime/step/decisions.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json
from voxpilot.errors import Invalid, NotFound
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.step import decisions
from voxpilot.storage.chats import chat_list
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Question
from voxpilot.web.door.loosening import Allowed
from voxpilot.web.routes.chats import Sup, scoped
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.bodies import AnswerGiven, AnswerTaken

router = Router("/api/chats/{chat_id}/questions", "questions")
_PASSING = frozenset({"allow_once", "reject_once", "reject_always", "not_now", "retry", "sign_in"})
"""Kinds of options that allow nothing beyond this one request."""


@router.post("/{question_id}", model=AnswerTaken)
async def answer(chat_id: str, question_id: str, body: AnswerGiven, sup: Sup, limits: Allowed) -> Json:
    """A script may allow something once, or reject it; only a person may give trust or lasting answers."""
    where = limits.visitor.name

    def act(ledger: Ledger, now: float) -> Json:
        question = ledger.get(Question, question_id)
        limits.check("give this answer", question is not None and _lasts(question, body.option_id))
        if body.action is not None:
            decided = open_questions.respond(ledger, question_id, body.action, body.content, where, now)
        elif body.option_id is not None:
            decided = decisions.answer(
                ledger, sup.services.catalog, question_id, body.option_id, where, body.reason, now
            )
        else:
            raise Invalid("The answer must name an option or an action.", "Send option_id or action.")
        return {"question_id": decided.id, "option_id": body.option_id, "outcome": decided.outcome}

    try:
        return await (await sup.chat(chat_id)).do(act, scoped(body.key, chat_id, "questions", question_id))
    except NotFound:
        if (decided := await chat_list.find_question(sup.services.db, chat_id, question_id)) is not None:
            raise open_questions.explain_decided(decided) from None
        raise


def _lasts(question: Question, option_id: str | None) -> bool:
    """Whether an option does more than allow or reject this one request."""
    option = next((option for option in question.options if option["id"] == option_id), None)
    if option is None:
        return False
    kind = str(option.get("kind"))
    changes_mode = question.detail.get("tool_kind") == "switch_mode" and kind.startswith("allow")
    runs_command = kind == "sign_in" and str(option["id"]).startswith("terminal:")
    return kind not in _PASSING or changes_mode or runs_command
