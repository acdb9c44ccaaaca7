"""Routes for the decision log: every decision, with exactly what was asked.

Lives here: pages of it with long details cut, and one decision in full. Lives
elsewhere: the rows (storage/across_chats/decisions.py), deciding (web/routes/questions.py).
"""

from __future__ import annotations

from typing import Annotated

import orjson
from pydantic import Field

from voxpilot.chat.events import Json
from voxpilot.chat.preview import preview
from voxpilot.errors import NotFound
from voxpilot.storage.across_chats.decisions import find_decision, list_decisions
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.bodies import Decision, Decisions

router = Router("/api/decisions", "questions")
SHOWN_WHOLE = 16_000
"""The largest detail, in bytes, that a page of the log shows in full."""


@router.get("", model=Decisions)
async def decisions(
    sup: Sup,
    chat: Annotated[str | None, Field(max_length=100)] = None,
    before: Annotated[str | None, Field(max_length=200)] = None,
    limit: Annotated[int, Field(ge=1, le=200)] = 50,
) -> Json:
    """Newest first; `before` is the id of the last one seen."""
    return {"decisions": [_shown(one) for one in await list_decisions(sup.services.db, chat, before, limit)]}


@router.get("/{decision_id}", model=Decision)
async def decision(decision_id: str, sup: Sup) -> Json:
    found = await find_decision(sup.services.db, decision_id)
    if found is None:
        raise NotFound("Decision not found.")
    return found


def _shown(decision: Json) -> Json:
    if len(orjson.dumps(decision["detail"])) <= SHOWN_WHOLE:
        return decision
    return {**decision, "detail": preview(decision["detail"], SHOWN_WHOLE), "cut": True}
