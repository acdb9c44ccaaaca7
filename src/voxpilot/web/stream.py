"""Routes of the streams: one chat, or many on one connection.

Lives here: where a reader says it stands. Lives elsewhere: what it then gets
(channel.py).
"""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request

from voxpilot.errors import Invalid
from voxpilot.web.auth import Acc
from voxpilot.web.channel import Channel, Wanted
from voxpilot.web.chats import Sup
from voxpilot.web.schemas import EVENT_STREAM

router = APIRouter(prefix="/api", tags=["streams"])
_CHATS_LIMIT = 200
_NUMBER = re.compile(r"[0-9]{1,18}")
_PLACE = re.compile(r"([0-9a-f]{1,40})(?::([0-9]{1,18}|tail))?")


@router.get("/chats/{chat_id}/stream", status_code=200, response_class=Channel, responses=EVENT_STREAM)
async def stream_chat(
    chat_id: str,
    request: Request,
    sup: Sup,
    access: Acc,
    after: Annotated[int, Query(ge=0, le=2**62)] = 0,
    tail: Annotated[int | None, Query(ge=0, le=1000)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Channel:
    """Everything after a number, then the present; or with `tail`, a snapshot and what follows it."""
    chat = await sup.chat(chat_id)
    if last_event_id is not None and _NUMBER.fullmatch(last_event_id):
        after, tail = int(last_event_id), None
    return Channel(sup, request.app.state.streams, access, {chat.id: Wanted(after, tail)}, is_shared=False)


@router.get("/stream", status_code=200, response_class=Channel, responses=EVENT_STREAM)
async def stream_many(
    request: Request,
    sup: Sup,
    access: Acc,
    chats: Annotated[str, Query(max_length=10_000)] = "",
    tail: Annotated[int, Query(ge=0, le=1000)] = 50,
    poll: Annotated[float | None, Query(ge=0, le=30)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Channel:
    """The list of chats and any number of chats, `a:12,b:40`; `a` alone begins with a snapshot.

    With `poll` the answer ends with the first news, or after so many seconds: for readers behind a proxy that
    holds streams back.
    """
    asked, seen = places(chats), places(last_event_id or "")
    if asked is None:
        raise Invalid("chats must look like a:12,b:40.", f"At most {_CHATS_LIMIT} of them.")
    # A reader that comes again asks as it did at first, and says how far it got since.
    asked |= {chat: seq for chat, seq in (seen or {}).items() if chat in asked or not chats}
    wanted = {chat: Wanted(tail=tail) if seq is None else Wanted(after=seq) for chat, seq in asked.items()}
    return Channel(sup, request.app.state.streams, access, wanted, is_shared=True, poll_seconds=poll)


def places(text: str) -> dict[str, int | None] | None:
    """`a:12,b` as numbers by chat, None where a snapshot is wanted; None for what reads otherwise."""
    found: dict[str, int | None] = {}
    for part in filter(None, text.split(",")):
        match = _PLACE.fullmatch(part)
        if match is None:
            return None
        found[match[1]] = None if match[2] in (None, "tail") else int(match[2])
    return found if len(found) <= _CHATS_LIMIT else None
