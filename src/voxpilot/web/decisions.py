"""The routes of the answers log: every decision, with exactly what was asked.

Lives here: pages of it, long details cut, and one decision whole. Lives
elsewhere: the rows (storage/decisions.py), deciding (web/questions.py).
"""

from __future__ import annotations

from typing import Annotated

import orjson
from fastapi import APIRouter, Query

from voxpilot.chat.events import Json
from voxpilot.chat.preview import preview
from voxpilot.errors import NotFound
from voxpilot.storage.decisions import find_decision, list_decisions
from voxpilot.web.chats import Sup
from voxpilot.web.schemas import Decision, Decisions

router = APIRouter(prefix="/api/decisions", tags=["questions"])
SHOWN_WHOLE = 16_000
"""Bytes of a detail that a page of the log shows uncut."""


@router.get("", response_model=Decisions)
async def decisions(
    sup: Sup,
    chat: Annotated[str | None, Query(max_length=100)] = None,
    before: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Json:
    """Newest first; `before` is the id of the last one seen."""
    return {"decisions": [_shown(one) for one in await list_decisions(sup.house.db, chat, before, limit)]}


@router.get("/{decision_id}", response_model=Decision)
async def decision(decision_id: str, sup: Sup) -> Json:
    found = await find_decision(sup.house.db, decision_id)
    if found is None:
        raise NotFound("There is no such decision.")
    return found


def _shown(decision: Json) -> Json:
    if len(orjson.dumps(decision["detail"])) <= SHOWN_WHOLE:
        return decision
    return {**decision, "detail": preview(decision["detail"], SHOWN_WHOLE), "cut": True}
