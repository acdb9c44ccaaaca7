"""The route that types into a terminal.

Lives here: from a request to the terminal. Lives elsewhere: what is typed and
where to (runtime/typed.py).
"""

from __future__ import annotations

import uuid

from fastapi import APIRouter

from voxpilot.runtime import typed
from voxpilot.web.chats import Sup
from voxpilot.web.schemas import Typed

router = APIRouter(prefix="/api/chats/{chat_id}/terminals", tags=["terminals"])


@router.post("/{terminal_id}", status_code=204)
async def type_in(chat_id: str, terminal_id: str, body: Typed, sup: Sup) -> None:
    key = body.key or uuid.uuid4().hex
    await typed.type_in(sup.house.db, await sup.chat(chat_id), terminal_id, body.data, key)
