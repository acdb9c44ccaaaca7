"""The route that answers a question.

Lives here: from a request to the decision, and who was faster. Lives
elsewhere: deciding (runtime/decisions.py).
"""

from __future__ import annotations

from fastapi import APIRouter, Request

from voxpilot.chat.events import Json
from voxpilot.errors import Invalid, NotFound
from voxpilot.runtime import decisions, questions
from voxpilot.storage import chats
from voxpilot.storage.ledger import Ledger
from voxpilot.web.chats import Sup, scoped
from voxpilot.web.schemas import AnswerGiven, AnswerTaken

router = APIRouter(prefix="/api/chats/{chat_id}/questions", tags=["questions"])


@router.post("/{question_id}", response_model=AnswerTaken)
async def answer(chat_id: str, question_id: str, body: AnswerGiven, request: Request, sup: Sup) -> Json:
    where = request.scope["visitor"].name

    def act(ledger: Ledger, now: float) -> Json:
        if body.action is not None:
            decided = questions.respond(ledger, question_id, body.action, body.content, where, now)
        elif body.option_id is not None:
            decided = decisions.answer(
                ledger, sup.house.catalog, question_id, body.option_id, where, body.reason, now
            )
        else:
            raise Invalid("An answer needs an option, or an action.", "Send option_id or action.")
        return {"question_id": decided.id, "option_id": body.option_id, "outcome": decided.outcome}

    try:
        return await (await sup.chat(chat_id)).do(act, scoped(body.key, chat_id, "questions", question_id))
    except NotFound:
        if (decided := await chats.find_question(sup.house.db, chat_id, question_id)) is not None:
            raise questions.explain_decided(decided) from None
        raise
