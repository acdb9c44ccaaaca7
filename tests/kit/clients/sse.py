"""A browser's view of a chat, on plain sockets and without any product code.

Lives here: HTTP chunks, the event-stream format, a connection that can be cut at any byte, a viewer that
reconnects by itself like the page. Lives elsewhere: whether the received events are correct (oracle.py).
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

import anyio
from anyio.abc import ByteStream, TaskGroup

from tests.kit.memory import addresses
from tests.kit.waiting import until

Wanted = str | Callable[["Event"], bool]
NOT_STORED = ("snapshot", "ready", "ping")
"""Kinds that exist only in streams; everything else with a seq is in the log."""


class Refused(Exception):
    """The server did not respond with a stream."""

    def __init__(self, status: int, head: str) -> None:
        super().__init__(head.splitlines()[0] if head else "no answer")
        self.status = status
        self.head = head


class StreamEnded(Exception):
    """The connection was cut, by either side."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event as received."""

    kind: str
    id: str | None
    """The id line of this event, if any."""
    data: Any

    @property
    def seq(self) -> int:
        return int(self.data["seq"])

    @property
    def first_seq(self) -> int:
        """The first number of a joined run of deltas."""
        return int(self.data.get("first_seq", self.data["seq"]))

    @property
    def is_stored(self) -> bool:
        return self.kind not in NOT_STORED and isinstance(self.data, dict) and "seq" in self.data


class Chunks:
    """Decodes HTTP's chunked encoding, however the bytes are split."""

    def __init__(self) -> None:
        self._waiting = b""
        self._left = 0
        self.is_over = False

    def feed(self, data: bytes) -> bytes:
        self._waiting += data
        body: list[bytes] = []
        while self._waiting and not self.is_over:
            if self._left == 0 and not self._read_size():
                break
            part = self._waiting[: self._left]
            self._waiting = self._waiting[len(part) :]
            self._left -= len(part)
            body.append(part)
        return b"".join(body)

    def _read_size(self) -> bool:
        line, found, rest = self._waiting.removeprefix(b"\r\n").partition(b"\r\n")
        if not found:
            return False
        self._left = int(line.partition(b";")[0], 16)
        self._waiting = rest
        self.is_over = self._left == 0
        return not self.is_over


class Events:
    """Parses the event-stream format, however the bytes are split."""

    def __init__(self) -> None:
        self._waiting = b""
        self._fields: dict[str, list[str]] = {}

    def feed(self, data: bytes) -> Iterator[Event]:
        *lines, self._waiting = (self._waiting + data).split(b"\n")
        for line in lines:
            if line.rstrip(b"\r"):
                self._take(line.rstrip(b"\r").decode())
            elif event := self._finish():
                yield event

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        self._fields.setdefault(name, []).append(value.removeprefix(" "))

    def _finish(self) -> Event | None:
        fields, self._fields = self._fields, {}
        if "data" not in fields and "event" not in fields:
            return None
        text = "\n".join(fields.get("data", []))
        kind = fields.get("event", ["message"])[-1]
        return Event(kind, fields.get("id", [None])[-1], json.loads(text) if text else None)


class EventStream:
    """One open connection; iterate it for events."""

    def __init__(self, stream: ByteStream, cut_after: int | None = None) -> None:
        self._stream = stream
        self._bytes_left = cut_after
        self._events = Events()
        self._chunks: Chunks | None = None
        self._ready: list[Event] = []
        self.head = ""
        self.received: list[Event] = []
        """Everything received so far."""

    async def read_head(self) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            data += await self._receive()
        head, _, rest = data.partition(b"\r\n\r\n")
        self.head = head.decode("latin-1")
        status = int(self.head.split(" ", 2)[1])
        if status != 200 or "text/event-stream" not in self.head.lower():
            raise Refused(status, self.head)
        self._chunks = Chunks() if "transfer-encoding: chunked" in self.head.lower() else None
        self._take(rest)

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        try:
            return await self.next()
        except StreamEnded:
            raise StopAsyncIteration from None

    async def next(self) -> Event:
        """The next event; raises `StreamEnded` when there are no more."""
        while not self._ready:
            if self._chunks is not None and self._chunks.is_over:
                raise StreamEnded
            self._take(await self._receive())
        event = self._ready.pop(0)
        self.received.append(event)
        return event

    async def read_until(self, wanted: Wanted, within: float = 30.0) -> list[Event]:
        """The events up to and including the first wanted one."""
        seen: list[Event] = []
        try:
            with anyio.fail_after(within):
                while not seen or not matches(seen[-1], wanted):
                    seen.append(await self.next())
        except (TimeoutError, StreamEnded) as error:
            raise AssertionError(f"{wanted!r} did not come; after {kinds(seen)[-20:]}") from error
        return seen

    async def cut(self) -> None:
        """Drop the connection immediately."""
        await self._stream.aclose()

    async def _receive(self) -> bytes:
        if self._bytes_left == 0:
            await self.cut()
            raise StreamEnded
        try:
            data = await self._stream.receive(
                65536 if self._bytes_left is None else min(65536, self._bytes_left)
            )
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise StreamEnded from None
        if self._bytes_left is not None:
            self._bytes_left -= len(data)
        return data

    def _take(self, data: bytes) -> None:
        self._ready += self._events.feed(self._chunks.feed(data) if self._chunks is not None else data)


@asynccontextmanager
async def connect(
    url: str,
    path: str,
    token: str | None,
    *,
    last_event_id: str | int | None = None,
    after: int | None = None,
    tail: int | None = None,
    cut_after: int | None = None,
    headers: dict[str, str] | None = None,
) -> AsyncIterator[EventStream]:
    """Open a stream; `cut_after` drops the connection after that many bytes, including the head."""
    where = urlsplit(url)
    host, port = where.hostname or "127.0.0.1", where.port or 80
    query = {name: value for name, value in (("after", after), ("tail", tail)) if value is not None}
    target = f"{path}{'&' if '?' in path else '?'}{urlencode(query)}" if query else path
    lines = {"Host": f"{host}:{port}", "Accept": "text/event-stream", "Cache-Control": "no-cache"}
    lines |= {"Authorization": f"Bearer {token}"} if token else {}
    lines |= {"Last-Event-ID": str(last_event_id)} if last_event_id is not None else {}
    lines |= headers or {}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    if addresses.is_in_memory(url):
        async with addresses.open_stream(url, target, lines) as answer:
            stream = EventStream(answer, cut_after)
            await stream.read_head()
            yield stream
        return
    async with await anyio.connect_tcp(host, port) as socket:
        stream = EventStream(socket, cut_after)
        await socket.send(f"GET {target} HTTP/1.1\r\n{head}\r\n".encode())
        await stream.read_head()
        yield stream


@dataclass
class Viewer:
    """A page that stays open: it reconnects by itself from the last number it saw, and records what it
    received.

    `async with Viewer(url, token, chat): ...`; `cut_after` may give, for each connection, the byte at which
    it is cut (None: not cut).
    """

    url: str
    token: str | None
    chat: str
    tail: int | None = None
    cut_after: Iterator[int | None] | None = None
    retry_seconds: float = 0.05
    events: list[Event] = field(default_factory=list)
    last_seq: int = 0
    connections: int = 0
    """How many times it was connected."""
    refused: Refused | None = None
    """Set when the server rejected it permanently (signed out, no such chat); it then stops trying."""
    _stream: EventStream | None = None
    _tasks: TaskGroup | None = None

    async def __aenter__(self) -> Viewer:
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._stay)
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        assert self._tasks is not None
        self._tasks.cancel_scope.cancel()
        return await self._tasks.__aexit__(*error)

    async def cut(self) -> None:
        """Drop the connection; it will reconnect."""
        if self._stream is not None:
            await self._stream.cut()

    async def read_until(self, wanted: Wanted, within: float = 30.0, since: int = 0) -> list[Event]:
        """What it received from position `since` up to and including the first wanted event."""

        def found() -> int | None:
            return next((i for i in range(since, len(self.events)) if matches(self.events[i], wanted)), None)

        await until(
            lambda: found() is not None,
            within,
            lambda: f"{wanted!r} did not come; after {kinds(self.events[since:])[-20:]}",
        )
        end = found()
        assert end is not None
        return self.events[since : end + 1]

    async def read_turns(self, count: int = 1, within: float = 30.0) -> list[Event]:
        """Wait until that many turns have ended; returns everything received."""
        await until(
            lambda: kinds(self.events).count("turn-ended") >= count,
            within,
            lambda: f"{count} turns did not end; after {kinds(self.events)[-20:]}",
        )
        return self.events

    async def _stay(self) -> None:
        while self.refused is None:
            try:
                await self._watch()
            except Refused as refused:
                if refused.status in (401, 403, 404):
                    self.refused = refused
            except (OSError, StreamEnded, anyio.BrokenResourceError):
                pass
            await anyio.sleep(self.retry_seconds)

    async def _watch(self) -> None:
        first = self.last_seq == 0
        async with connect(
            self.url,
            f"/api/chats/{self.chat}/stream",
            self.token,
            after=None if first and self.tail is not None else self.last_seq,
            tail=self.tail if first else None,
            cut_after=next(self.cut_after, None) if self.cut_after is not None else None,
        ) as stream:
            self._stream = stream
            self.connections += 1
            while True:
                event = await stream.next()
                self.events.append(event)
                if isinstance(event.data, dict) and "seq" in event.data:
                    self.last_seq = max(self.last_seq, event.seq)


def matches(event: Event, wanted: Wanted) -> bool:
    return event.kind == wanted if isinstance(wanted, str) else wanted(event)


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]
