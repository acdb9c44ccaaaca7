"""Server-sent events: chats as they happen.

Lives here: from followed events to bytes, drained into one chunk; one chat or
many on one connection; the ping. Catching up and being live are the same loop.
Lives elsewhere: following (runtime/live_chat.py), the list (runtime/feed.py).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Annotated

import orjson
from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse

from voxpilot import __version__
from voxpilot.chat.events import Json
from voxpilot.errors import Invalid, NotFound
from voxpilot.runtime.live_chat import Follower
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.storage import chats
from voxpilot.storage.event_log import Recorded
from voxpilot.web.chats import Sup

router = APIRouter(prefix="/api", tags=["streams"])
PING_SECONDS = 10.0
RETRY = b"retry: 500\n\n"
_HEADERS = {"X-Accel-Buffering": "no"}
_CHATS_LIMIT = 200


class Streams:
    """All open streams, so that they can be ended: all of them, or those of one device."""

    def __init__(self) -> None:
        self.closing = False
        self._open: dict[asyncio.Event, str | None] = {}
        self._cut: set[asyncio.Event] = set()

    def add(self, bell: asyncio.Event, device_id: str | None) -> None:
        self._open[bell] = device_id

    def remove(self, bell: asyncio.Event) -> None:
        self._open.pop(bell, None)
        self._cut.discard(bell)

    def ends(self, bell: asyncio.Event) -> bool:
        return self.closing or bell in self._cut

    def cut_device(self, device_id: str) -> None:
        for bell, device in self._open.items():
            if device == device_id:
                self._cut.add(bell)
                bell.set()

    def close(self) -> None:
        self.closing = True
        for bell in self._open:
            bell.set()


@router.get("/chats/{chat_id}/stream")
async def stream_chat(
    chat_id: str,
    request: Request,
    sup: Sup,
    after: Annotated[int, Query(ge=0, le=2**62)] = 0,
    tail: Annotated[int | None, Query(ge=0, le=1000)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """Everything after a number, then the present; or with `tail`, a snapshot and what follows it."""
    chat = await sup.chat(chat_id)
    if last_event_id is not None and last_event_id.isdigit():
        after, tail = min(int(last_event_id), 2**62), None
    channel = _Channel(sup, request, shared=False)
    return channel.respond({chat.id: tail if tail is not None else -1}, {chat.id: after})


@router.get("/stream")
async def stream_many(
    request: Request,
    sup: Sup,
    chats: Annotated[str, Query(max_length=10_000)] = "",
    tail: Annotated[int, Query(ge=0, le=1000)] = 50,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """The list of chats and any number of chats, `a:12,b:40`; `a` alone begins with a snapshot."""
    wanted = _vector(chats)
    if last_event_id:
        wanted = {chat: max(seq, 0) for chat, seq in _vector(last_event_id).items()} or wanted
    channel = _Channel(sup, request, shared=True)
    return channel.respond(
        {chat: tail if seq < 0 else -1 for chat, seq in wanted.items()},
        {chat: max(seq, 0) for chat, seq in wanted.items()},
    )


class _Channel:
    """One connection and what it looks at."""

    def __init__(self, supervisor: Supervisor, request: Request, shared: bool) -> None:
        self._supervisor = supervisor
        self._streams: Streams = request.app.state.streams
        self._device = request.scope["visitor"].device
        self._shared = shared
        self._bell = asyncio.Event()
        self._followers: dict[str, Follower] = {}
        self._ready: set[str] = set()

    def respond(self, tails: dict[str, int], after: dict[str, int]) -> StreamingResponse:
        return StreamingResponse(self._bytes(tails, after), media_type="text/event-stream", headers=_HEADERS)

    async def _bytes(self, tails: dict[str, int], after: dict[str, int]) -> AsyncIterator[bytes]:
        watcher = self._supervisor.feed.watch(self._bell) if self._shared else None
        self._streams.add(self._bell, self._device.id if self._device else None)
        try:
            yield RETRY
            if self._shared:
                yield _event("chats", {"chats": await chats.list_chats(self._supervisor.house.db)})
            for chat_id, tail in tails.items():
                yield await self._open(chat_id, tail, after[chat_id])
            while not self._streams.ends(self._bell):
                self._bell.clear()
                chunk = await self._news()
                if watcher is not None:
                    chunk += await self._list_news(watcher.take())
                if chunk:
                    yield chunk
                    continue
                if not self._shared and not self._followers:
                    return
                try:
                    async with asyncio.timeout(PING_SECONDS):
                        await self._bell.wait()
                except TimeoutError:
                    yield b"event: ping\ndata: {}\n\n"
        finally:
            self._streams.remove(self._bell)
            for follower in self._followers.values():
                follower.close()
            if watcher is not None:
                watcher.close()

    async def _open(self, chat_id: str, tail: int, after: int) -> bytes:
        """Begin to follow a chat, with a snapshot where one was asked for."""
        try:
            chat = await self._supervisor.chat(chat_id)
        except NotFound:
            return _event("chat-removed", {"chat": chat_id})
        snapshot = b""
        if tail >= 0:
            after, body = await chat.snapshot(tail)
            snapshot = body
        follower = self._followers[chat_id] = chat.follow(after, self._bell)
        return self._encode(chat_id, follower.after, "snapshot", snapshot) if snapshot else b""

    async def _news(self) -> bytes:
        """All that is there now, one piece of each chat at a time."""
        chunks: list[bytes] = []
        for chat_id, follower in list(self._followers.items()):
            events = await follower.take()
            chunks += [self._encode_event(chat_id, event) for event in events]
            if not events and chat_id not in self._ready:
                self._ready.add(chat_id)
                chunks.append(_event("ready", {"chat": chat_id, "version": __version__}))
            if follower.ended and not events:
                follower.close()
                del self._followers[chat_id]
        return b"".join(chunks)

    async def _list_news(self, news: dict[str, bool]) -> bytes:
        chunks = []
        for chat_id, exists in news.items():
            summary = await chats.summary(self._supervisor.house.db, chat_id) if exists else None
            if summary is not None:
                chunks.append(_event("chat-changed", summary))
            else:
                chunks.append(_event("chat-removed", {"chat": chat_id}))
        return b"".join(chunks)

    def _encode_event(self, chat_id: str, event: Recorded) -> bytes:
        return self._encode(chat_id, event.seq, event.kind, event.body)

    def _encode(self, chat_id: str, seq: int, kind: str, body: bytes) -> bytes:
        if not self._shared:
            return b"id: %d\nevent: %b\ndata: %b\n\n" % (seq, kind.encode(), body)
        name = b"chat_id" if kind == "snapshot" else b"chat"
        data = b'{"%b":"%b",%b' % (name, chat_id.encode(), body[1:])
        return b"id: %b\nevent: %b\ndata: %b\n\n" % (self._vector(chat_id, seq), kind.encode(), data)

    def _vector(self, chat_id: str, seq: int) -> bytes:
        places = {id: follower.after for id, follower in self._followers.items()} | {chat_id: seq}
        return ",".join(f"{id}:{place}" for id, place in places.items()).encode()


def _event(kind: str, body: Json) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), orjson.dumps(body))


def _vector(text: str) -> dict[str, int]:
    """`a:12,b` as places; −1 where a snapshot is wanted."""
    places: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        match = re.fullmatch(r"([0-9a-f]{1,40})(?::(\d{1,18}|tail))?", part)
        if match is None or len(places) >= _CHATS_LIMIT:
            raise Invalid("chats must look like a:12,b:40.")
        places[match[1]] = int(match[2]) if match[2] and match[2] != "tail" else -1
    return places
