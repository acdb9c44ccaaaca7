"""Routes for the streams: one chat, or many on one connection.

Lives here: reading the position from a request. Lives elsewhere: what the reader then gets
(streams/channel.py).
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field
from starlette.requests import Request

from voxpilot.errors import Invalid
from voxpilot.web.routes.auth import Acc
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.endpoint import Header
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.bodies import EVENT_STREAM
from voxpilot.web.streams.channel import Channel, Wanted

History = Annotated[str | None, Field(max_length=40)]
"""The `history` from `ready`; it changes when the database is restored or rescued."""
router = Router("/api", "streams")
_CHATS_LIMIT = 200
_NUMBER = re.compile(r"[0-9]{1,18}")
_PLACE = re.compile(r"([0-9a-f]{1,40})(?::([0-9]{1,18}|tail))?")


@router.get("/chats/{chat_id}/stream", status=200, described=EVENT_STREAM)
async def stream_chat(
    chat_id: str,
    request: Request,
    sup: Sup,
    access: Acc,
    after: Annotated[int, Field(ge=0, le=2**62)] = 0,
    tail: Annotated[int | None, Field(ge=0, le=1000)] = None,
    history: History = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Channel:
    """Everything after a number, then live events; or with `tail`, a snapshot and everything after it.

    A reader that names another `history`, or a number that does not exist yet, gets a snapshot first.
    """
    chat = await sup.chat(chat_id)
    if last_event_id is not None and _NUMBER.fullmatch(last_event_id):
        after, tail = int(last_event_id), None
    wanted = {chat.id: Wanted(after, tail)}
    return Channel(sup, request.app.state.streams, access, wanted, is_shared=False, history=history)


@router.get("/stream", status=200, described=EVENT_STREAM)
async def stream_many(
    request: Request,
    sup: Sup,
    access: Acc,
    chats: Annotated[str, Field(max_length=10_000)] = "",
    tail: Annotated[int, Field(ge=0, le=1000)] = 50,
    poll: Annotated[float | None, Field(ge=0, le=30)] = None,
    history: History = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Channel:
    """The list of chats and any number of chats, `a:12,b:40`; `a` alone begins with a snapshot.

    With `poll` the response ends after the first new events, or after that many seconds, for readers behind a
    proxy that buffers streams.
    """
    asked, seen = places(chats), places(last_event_id or "")
    if asked is None:
        raise Invalid("chats must have the form a:12,b:40.", f"At most {_CHATS_LIMIT} chats are allowed.")
    # A reader that reconnects sends the same request, plus how far it has got since.
    asked |= {chat: seq for chat, seq in (seen or {}).items() if chat in asked or not chats}
    wanted = {chat: Wanted(tail=tail) if seq is None else Wanted(after=seq) for chat, seq in asked.items()}
    streams = request.app.state.streams
    return Channel(sup, streams, access, wanted, is_shared=True, poll_seconds=poll, history=history)


def places(text: str) -> dict[str, int | None] | None:
    """`a:12,b` as numbers by chat, None where a snapshot is wanted; None if it cannot be parsed."""
    found: dict[str, int | None] = {}
    for part in filter(None, text.split(",")):
        match = _PLACE.fullmatch(part)
        if match is None:
            return None
        found[match[1]] = None if match[2] in (None, "tail") else int(match[2])
    return found if len(found) <= _CHATS_LIMIT else None
