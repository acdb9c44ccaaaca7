"""One stream to one reader: chats as they happen.

Lives here: from followed events to bytes, a piece at a time; one chat or many
on one connection; the ping. Catching up and being live are the same loop, and
a reader that is slow holds one piece and nothing more. Lives elsewhere:
following (runtime/live_chat.py), the list of chats (runtime/feed.py), who asks
for what (stream.py), ending streams (streams.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, suppress
from dataclasses import dataclass

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from voxpilot import __version__
from voxpilot.chat.events import Json
from voxpilot.errors import NotFound, ShuttingDown
from voxpilot.runtime.feed import Watcher
from voxpilot.runtime.live_chat import Follower
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.storage import chats
from voxpilot.storage.event_log import Recorded
from voxpilot.web.access import Access
from voxpilot.web.streams import OpenStream, Streams

PING_SECONDS = 10.0
PIECE_BYTES = 64_000
RETRY = b"retry: 500\n\n"
PING = b"event: ping\ndata: {}\n\n"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where a reader stands in one chat."""

    after: int = 0
    tail: int | None = None
    """Begin with a snapshot of so many blocks instead."""


@dataclass(slots=True)
class _View:
    """One chat on this connection."""

    follower: Follower
    ready_at: int
    """The newest event when the reader came: once it is sent, the reader has caught up."""
    is_ready: bool = False


class Channel(Response):
    """The response of a stream; ends when the reader leaves, or when it must."""

    media_type = "text/event-stream"

    def __init__(
        self,
        supervisor: Supervisor,
        streams: Streams,
        access: Access,
        wanted: dict[str, Wanted],
        is_shared: bool,
        poll_seconds: float | None = None,
    ) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no"})
        if poll_seconds is not None:
            self.headers["connection"] = "close"  # even the worst proxy passes on what has ended
        del self.headers["content-length"]
        self._supervisor = supervisor
        self._streams = streams
        self._access = access
        self._wanted = wanted
        self._is_shared = is_shared
        self._poll_seconds = poll_seconds
        self._views: dict[str, _View] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        device = scope["visitor"].device
        stream = OpenStream(device.id if device else None, scope.get("abort", lambda: None))
        with self._streams.opened(stream):
            if device is not None and self._access.is_revoked(device.id):
                stream.end()
            try:
                async with asyncio.TaskGroup() as tasks:
                    leaving = tasks.create_task(_notice_leaving(receive, stream))
                    await self._send_all(stream, send)
                    leaving.cancel()
            except BaseExceptionGroup as group:
                raise group.exceptions[0] from None

    async def _send_all(self, stream: OpenStream, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async with aclosing(self._pieces(stream)) as pieces:
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pieces(self, stream: OpenStream) -> AsyncGenerator[bytes, None]:
        watcher = self._supervisor.feed.watch(stream.bell) if self._is_shared else None
        clock = asyncio.get_running_loop().time
        try:
            yield RETRY
            async for piece in self._first(stream):
                yield piece
            spoke_at = clock()
            has_snapshot = any(wanted.tail is not None for wanted in self._wanted.values())
            known = None if has_snapshot else self._places()
            while not stream.is_over():
                stream.bell.clear()
                async for piece in self._news(stream, watcher):
                    yield piece
                    spoke_at = clock()
                    if stream.is_over():
                        return
                if not self._is_shared and not self._views:
                    return
                if self._poll_seconds is not None:
                    if self._places() == known:
                        async for piece in self._last_words(stream, watcher, self._poll_seconds):
                            yield piece
                    return
                try:
                    async with asyncio.timeout_at(spoke_at + PING_SECONDS):
                        await stream.bell.wait()
                except TimeoutError:
                    yield PING
                    spoke_at = clock()
        finally:
            for view in self._views.values():
                view.follower.close()
            if watcher is not None:
                watcher.close()

    async def _last_words(
        self, stream: OpenStream, watcher: Watcher | None, wait_seconds: float
    ) -> AsyncIterator[bytes]:
        """The end of a poll: the next news, if there are any soon."""
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_seconds):
                await stream.bell.wait()
        stream.bell.clear()
        async for piece in self._news(stream, watcher):
            yield piece
        yield PING

    def _places(self) -> dict[str, int]:
        return {chat_id: view.follower.after for chat_id, view in self._views.items()}

    async def _first(self, stream: OpenStream) -> AsyncIterator[bytes]:
        """The list of chats where it belongs, and a snapshot of each chat that wants one."""
        if self._is_shared:
            yield _event("chats", {"chats": await chats.list_chats(self._supervisor.house.db)})
        for chat_id, wanted in self._wanted.items():
            if piece := await self._open(chat_id, wanted, stream):
                yield piece

    async def _open(self, chat_id: str, wanted: Wanted, stream: OpenStream) -> bytes:
        """Begin to follow a chat."""
        try:
            chat = await self._supervisor.chat(chat_id)
        except NotFound:
            return _event("chat-removed", {"chat": chat_id})
        except ShuttingDown:
            stream.end()
            return b""
        after, snapshot = wanted.after, b""
        if wanted.tail is not None:
            after, snapshot = await chat.snapshot(wanted.tail)
        self._views[chat_id] = _View(chat.follow(after, stream.bell), chat.wakeup.last)
        return self._encoder(chat_id).encode(after, "snapshot", snapshot) if snapshot else b""

    async def _news(self, stream: OpenStream, watcher: Watcher | None) -> AsyncIterator[bytes]:
        """All that is there now, and again until there is no more; every chat gets its turn."""
        has_more = True
        while has_more and not stream.is_over():
            has_more = False
            for chat_id, view in list(self._views.items()):
                if view.is_ready and not view.follower.is_behind:
                    continue
                events = await view.follower.take()
                has_more = has_more or bool(events)
                for piece in _pieces_of(self._encoder(chat_id), events):
                    yield piece
                if not view.is_ready and view.follower.after >= view.ready_at:
                    view.is_ready = True
                    yield _event("ready", {"chat": chat_id, "version": __version__})
                if view.follower.ended and not events:
                    await self._drop(chat_id, view, stream)
            if watcher is not None:
                async for piece in self._list_news(watcher.take()):
                    yield piece

    async def _drop(self, chat_id: str, view: _View, stream: OpenStream) -> None:
        """Nothing more comes from there. If the chat still exists, its reader must come again for more."""
        view.follower.close()
        del self._views[chat_id]
        if await chats.summary(self._supervisor.house.db, chat_id) is not None:
            stream.end()

    async def _list_news(self, news: dict[str, bool]) -> AsyncIterator[bytes]:
        for chat_id, exists in news.items():
            summary = await chats.summary(self._supervisor.house.db, chat_id) if exists else None
            if summary is not None:
                yield _event("chat-changed", summary)
            else:
                yield _event("chat-removed", {"chat": chat_id})

    def _encoder(self, chat_id: str) -> _Encoder:
        """For what is taken from one chat; the places in all others stand still meanwhile."""
        if not self._is_shared:
            return _Encoder(None, b"")
        places = {id: view.follower.after for id, view in self._views.items() if id != chat_id}
        return _Encoder(chat_id, b"".join(b"%b:%d," % (id.encode(), place) for id, place in places.items()))


@dataclass(frozen=True, slots=True)
class _Encoder:
    """Events of one chat as server-sent events."""

    chat_id: str | None
    """Named in each event where a connection carries several chats."""
    places: bytes
    """Where the reader stands in the others."""

    def encode(self, seq: int, kind: str, body: bytes) -> bytes:
        if self.chat_id is None:
            return b"id: %d\nevent: %b\ndata: %b\n\n" % (seq, kind.encode(), body)
        chat, name = self.chat_id.encode(), b"chat_id" if kind == "snapshot" else b"chat"
        line = b'id: %b%b:%d\nevent: %b\ndata: {"%b":"%b",%b\n\n'
        return line % (self.places, chat, seq, kind.encode(), name, chat, body[1:])


def _pieces_of(encoder: _Encoder, events: list[Recorded]) -> Iterator[bytes]:
    waiting: list[bytes] = []
    size = 0
    for event in events:
        waiting.append(encoder.encode(event.seq, event.kind, event.body))
        size += len(waiting[-1])
        if size >= PIECE_BYTES:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


async def _notice_leaving(receive: Receive, stream: OpenStream) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.end()


def _event(kind: str, body: Json) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), orjson.dumps(body))
