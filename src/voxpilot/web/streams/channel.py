"""One stream to one reader: chats as they happen.

Lives here: from followed events to pieces of bytes; one chat or many on one
connection; the ping. Catching up and live events use the same loop, and a slow reader holds only one piece in
memory. Lives elsewhere: following (runtime/live_chat.py), the list of chats (runtime/readers/feed.py), who
asks for what (routes/stream.py), the format (encoding.py), ending streams (open_streams.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from voxpilot import __version__
from voxpilot.errors import NotFound, ShuttingDown, explained
from voxpilot.runtime.live_chat import LiveChat
from voxpilot.runtime.readers import snapshot as snapshots
from voxpilot.runtime.readers.feed import Watcher
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.storage.chats import chat_list
from voxpilot.storage.chats.event_log import Recorded
from voxpilot.values import dataclass
from voxpilot.web.door.access import Access
from voxpilot.web.streams.encoding import PING, RETRY, Encoder, Piece, unnumbered
from voxpilot.web.streams.open_streams import OpenStream, Pulse, Streams

log = logging.getLogger(__name__)
RESTART_TAIL = 50
"""How many blocks a reader gets when it has to start over."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where a reader stands in one chat."""

    after: int = 0
    tail: int | None = None
    """Begin with a snapshot of this many blocks instead."""


class _View:
    """One chat on this connection."""

    def __init__(self, chat: LiveChat, after: int, bell: asyncio.Event) -> None:
        self.name = chat.id.encode()
        self.follower = chat.follow(after, bell)
        self._wakeup = chat.wakeup
        self._ready_at = chat.wakeup.last
        """The newest event when the reader connected: once it is sent, the reader has caught up."""
        self._is_ready = False
        self._stand()

    def has_news(self) -> bool:
        """Whether there may be events: when one chat on a connection has some, most others have none."""
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
    """The response of a stream; ends when the reader disconnects or the stream has to end."""

    media_type = "text/event-stream"

    def __init__(
        self,
        supervisor: Supervisor,
        streams: Streams,
        access: Access,
        wanted: dict[str, Wanted],
        is_shared: bool,
        poll_seconds: float | None = None,
        history: str | None = None,
    ) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no"})
        if poll_seconds is not None:
            self.headers["connection"] = "close"  # even a proxy that buffers passes on a complete response
        del self.headers["content-length"]
        self._supervisor = supervisor
        self._streams = streams
        self._access = access
        self._wanted = wanted
        self._is_shared = is_shared
        self._history = supervisor.services.db.history
        self._is_of_another = history not in (None, self._history)
        """The reader has events of another history: the database was restored or rescued since."""
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
            self._stop_watching(watcher)

    def _stop_watching(self, watcher: Watcher | None) -> None:
        for view in self._views.values():
            view.follower.close()
        if watcher is not None:
            watcher.close()

    async def _last_words(
        self, stream: OpenStream, watcher: Watcher | None, wait_seconds: float
    ) -> AsyncIterator[bytes]:
        """The end of a poll: the next events, if there are any soon."""
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
        """The list of chats if requested, and a snapshot of each chat that needs one."""
        if self._is_shared:
            yield unnumbered(
                "chats",
                {
                    **(await chat_list.first_page(self._supervisor.services.db, self._wanted)).told(),
                    "history": self._history,
                },
            )
        for chat_id, wanted in self._wanted.items():
            if piece := await self._open(chat_id, wanted, stream):
                yield piece

    async def _open(self, chat_id: str, wanted: Wanted, stream: OpenStream) -> bytes:
        """Start following a chat."""
        try:
            chat = await self._supervisor.chat(chat_id)
        except NotFound:
            return unnumbered("chat-removed", {"chat": chat_id})
        except ShuttingDown:
            stream.end()
            return b""
        except Exception as error:
            return await self._unreadable(chat_id, error)
        after, tail, snapshot = wanted.after, wanted.tail, b""
        if tail is None and after and (self._is_of_another or after > chat.wakeup.last):
            tail = RESTART_TAIL  # it has seen something other than what is stored, so it must start over
        if tail is not None:
            try:
                after, snapshot = await chat.snapshot(tail)
            except Exception as error:
                return await self._unreadable(chat_id, error)
        view = self._views[chat_id] = _View(chat, after, stream.bell)
        return self._encoder(view).encode(after, "snapshot", snapshot) if snapshot else b""

    async def _unreadable(self, chat_id: str, error: Exception) -> bytes:
        """A damaged chat is replaced by a notice, and the others on this connection continue.

        A temporary error ends the connection instead, and the reader reconnects by itself.
        """
        why = explained(error)
        if why.is_momentary or not self._is_shared:
            raise error
        log.error("a chat cannot be read: chat=%s", chat_id, exc_info=error)
        known = None
        with suppress(Exception):
            known = await chat_list.summary(self._supervisor.services.db, chat_id)
        body = snapshots.unreadable(known or {}, why, self._supervisor.services.clock.wall())
        places = b"".join([view.place for view in self._views.values()])
        return Encoder(chat_id.encode(), places).encode(0, "snapshot", body)

    async def _news(self, stream: OpenStream, watcher: Watcher | None) -> AsyncIterator[bytes]:
        """Send all available events, repeatedly until there are no more; every chat gets its turn."""
        piece, has_more = Piece(), True
        while has_more and not stream.is_over():
            has_more = False
            for chat_id, view in list(self._views.items()):
                events = await self._take(chat_id, view, piece) if view.has_news() else None
                if events is None:
                    continue
                has_more = has_more or bool(events)
                encoder = self._encoder(view)
                for event in events:
                    piece.add(encoder.encode(event.seq, event.kind, event.body))
                    if piece.is_large():
                        yield piece.take()
                if view.becomes_ready():
                    piece.add(self._ready(chat_id))
                if view.follower.ended and not events:
                    await self._drop(chat_id, view, stream)
            for news in await self._list_news(watcher.take() if watcher is not None else {}):
                piece.add(news)
            if piece:
                yield piece.take()

    async def _take(self, chat_id: str, view: _View, piece: Piece) -> list[Recorded] | None:
        """A chat's new events; None if they cannot be read, which is told."""
        try:
            return await view.take()
        except Exception as error:
            view.follower.close()
            del self._views[chat_id]
            piece.add(await self._unreadable(chat_id, error))
            return None

    async def _drop(self, chat_id: str, view: _View, stream: OpenStream) -> None:
        """The chat sends no more events here. If it still exists, its reader must reconnect for more."""
        view.follower.close()
        del self._views[chat_id]
        if await chat_list.summary(self._supervisor.services.db, chat_id) is not None:
            stream.end()

    async def _list_news(self, news: dict[str, bool]) -> list[bytes]:
        found = []
        for chat_id, exists in news.items():
            summary = await chat_list.summary(self._supervisor.services.db, chat_id) if exists else None
            if summary is not None:
                found.append(unnumbered("chat-changed", summary))
            else:
                found.append(unnumbered("chat-removed", {"chat": chat_id}))
        return found

    def _ready(self, chat_id: str) -> bytes:
        return unnumbered("ready", {"chat": chat_id, "version": __version__, "history": self._history})

    def _encoder(self, view: _View) -> Encoder:
        """For events of one chat; the positions in all others do not change meanwhile."""
        if not self._is_shared:
            return Encoder()
        places = b"".join([other.place for other in self._views.values() if other is not view])
        return Encoder(view.name, places)


async def _notice_leaving(receive: Receive, stream: OpenStream) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.end()
