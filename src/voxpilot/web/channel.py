"""One stream to one reader: chats as they happen.

Lives here: from followed events to pieces of bytes; one chat or many on one
connection; the ping. Catching up and being live are the same loop, and a reader
that is slow holds one piece and nothing more. Lives elsewhere: following
(runtime/live_chat.py), the list of chats (runtime/feed.py), who asks for what
(stream.py), the format (encoding.py), ending streams (streams.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from voxpilot import __version__
from voxpilot.errors import NotFound, ShuttingDown
from voxpilot.runtime.feed import Watcher
from voxpilot.runtime.live_chat import LiveChat
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.storage import chats
from voxpilot.storage.event_log import Recorded
from voxpilot.web.access import Access
from voxpilot.web.encoding import PING, RETRY, Encoder, Piece, unnumbered
from voxpilot.web.streams import OpenStream, Pulse, Streams


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where a reader stands in one chat."""

    after: int = 0
    tail: int | None = None
    """Begin with a snapshot of so many blocks instead."""


class _View:
    """One chat on this connection."""

    def __init__(self, chat: LiveChat, after: int, bell: asyncio.Event) -> None:
        self.name = chat.id.encode()
        self.follower = chat.follow(after, bell)
        self._wakeup = chat.wakeup
        self._ready_at = chat.wakeup.last
        """The newest event when the reader came: once it is sent, the reader has caught up."""
        self._is_ready = False
        self._stand()

    def has_news(self) -> bool:
        """Whether to look: most of the many chats on a connection have none when another has."""
        wakeup = self._wakeup
        return wakeup.last > self.follower.after or not self._is_ready or wakeup.closed

    async def take(self) -> list[Recorded]:
        events = await self.follower.take()
        self._stand()
        return events

    def becomes_ready(self) -> bool:
        """True once."""
        if self._is_ready or self.follower.after < self._ready_at:
            return False
        self._is_ready = True
        return True

    def _stand(self) -> None:
        self.place = b"%b:%d," % (self.name, self.follower.after)


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
        with self._streams.opened(stream, device.expires_at if device else None):
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
        pulse = Pulse(stream.bell)
        try:
            yield RETRY
            async for piece in self._first(stream):
                yield piece
            has_snapshot = any(wanted.tail is not None for wanted in self._wanted.values())
            known = None if has_snapshot else self._places()
            while not stream.is_over():
                stream.bell.clear()
                async for piece in self._news(stream, watcher):
                    yield piece
                    pulse.spoke()
                    if stream.is_over():
                        return
                if not self._is_shared and not self._views:
                    return
                if self._poll_seconds is not None:
                    if self._places() == known:
                        async for piece in self._last_words(stream, watcher, self._poll_seconds):
                            yield piece
                    return
                if pulse.is_due():
                    yield PING
                    pulse.spoke()
                await stream.bell.wait()
        finally:
            pulse.stop()
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
            yield unnumbered("chats", {"chats": await chats.list_chats(self._supervisor.house.db)})
        for chat_id, wanted in self._wanted.items():
            if piece := await self._open(chat_id, wanted, stream):
                yield piece

    async def _open(self, chat_id: str, wanted: Wanted, stream: OpenStream) -> bytes:
        """Begin to follow a chat."""
        try:
            chat = await self._supervisor.chat(chat_id)
        except NotFound:
            return unnumbered("chat-removed", {"chat": chat_id})
        except ShuttingDown:
            stream.end()
            return b""
        after, snapshot = wanted.after, b""
        if wanted.tail is not None:
            after, snapshot = await chat.snapshot(wanted.tail)
        view = self._views[chat_id] = _View(chat, after, stream.bell)
        return self._encoder(view).encode(after, "snapshot", snapshot) if snapshot else b""

    async def _news(self, stream: OpenStream, watcher: Watcher | None) -> AsyncIterator[bytes]:
        """All that is there now, and again until there is no more; every chat gets its turn."""
        piece, has_more = Piece(), True
        while has_more and not stream.is_over():
            has_more = False
            for chat_id, view in list(self._views.items()):
                if not view.has_news():
                    continue
                events = await view.take()
                has_more = has_more or bool(events)
                encoder = self._encoder(view)
                for event in events:
                    piece.add(encoder.encode(event.seq, event.kind, event.body))
                    if piece.is_large():
                        yield piece.take()
                if view.becomes_ready():
                    piece.add(unnumbered("ready", {"chat": chat_id, "version": __version__}))
                if view.follower.ended and not events:
                    await self._drop(chat_id, view, stream)
            if watcher is not None:
                for news in await self._list_news(watcher.take()):
                    piece.add(news)
            if piece:
                yield piece.take()

    async def _drop(self, chat_id: str, view: _View, stream: OpenStream) -> None:
        """Nothing more comes from there. If the chat still exists, its reader must come again for more."""
        view.follower.close()
        del self._views[chat_id]
        if await chats.summary(self._supervisor.house.db, chat_id) is not None:
            stream.end()

    async def _list_news(self, news: dict[str, bool]) -> list[bytes]:
        found = []
        for chat_id, exists in news.items():
            summary = await chats.summary(self._supervisor.house.db, chat_id) if exists else None
            if summary is not None:
                found.append(unnumbered("chat-changed", summary))
            else:
                found.append(unnumbered("chat-removed", {"chat": chat_id}))
        return found

    def _encoder(self, view: _View) -> Encoder:
        """For what is taken from one chat; the places in all others stand still meanwhile."""
        if not self._is_shared:
            return Encoder()
        places = b"".join([other.place for other in self._views.values() if other is not view])
        return Encoder(view.name, places)


async def _notice_leaving(receive: Receive, stream: OpenStream) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.end()
