"""The route that types into a terminal.

Lives here: from a request to the terminal. Lives elsewhere: passing it on (runtime/terminal_input.py).
"""

from __future__ import annotations

import uuid

from voxpilot.runtime import terminal_input
from voxpilot.web.door.loosening import Allowed
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.bodies import Typed

router = Router("/api/chats/{chat_id}/terminals", "terminals")


@router.post("/{terminal_id}", status=204)
async def type_in(chat_id: str, terminal_id: str, body: Typed, sup: Sup, limits: Allowed) -> None:
    limits.check("type into a terminal")
    key = body.key or uuid.uuid4().hex
    await terminal_input.type_in(sup.services.db, await sup.chat(chat_id), terminal_id, body.data, key)
