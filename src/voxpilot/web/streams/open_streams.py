"""Open streams: when each needs a ping, and when it must end.

Lives here: the timer of a stream, and ending the streams of one device or all of them, without waiting for a
reader that does not read. Lives elsewhere: what a stream carries (channel.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

PING_SECONDS = 10.0
GRACE_SECONDS = 0.5
"""How long a stream that must end may take for its last bytes."""


@dataclass(slots=True, eq=False)
class OpenStream:
    """One connection. Its bell rings when there may be something to send, or when it must end."""

    device_id: str | None
    abort: Callable[[], None]
    bell: asyncio.Event = field(default_factory=asyncio.Event)
    _is_over: bool = False

    def end(self) -> None:
        self._is_over = True
        self.bell.set()

    def is_over(self) -> bool:
        """Whether it must end now."""
        return self._is_over


class Pulse:
    """Rings the bell when nothing was sent for some time; costs almost nothing while data is sent."""

    def __init__(self, bell: asyncio.Event) -> None:
        self._bell = bell
        self._loop = asyncio.get_running_loop()
        self.spoke()
        self._timer = self._loop.call_at(self._due_at, self._look)

    def spoke(self) -> None:
        self._due_at = self._loop.time() + PING_SECONDS

    def is_due(self) -> bool:
        return self._loop.time() >= self._due_at

    def stop(self) -> None:
        self._timer.cancel()

    def _look(self) -> None:
        if self.is_due():
            self._bell.set()
        again_at = max(self._due_at, self._loop.time() + 1.0)
        self._timer = self._loop.call_at(again_at, self._look)


class Streams:
    def __init__(self) -> None:
        self._open: set[OpenStream] = set()
        self._closing = False

    @contextmanager
    def opened(self, stream: OpenStream) -> Iterator[None]:
        """Registers the stream as open within the block."""
        self._open.add(stream)
        if self._closing:
            stream.end()
        try:
            yield
        finally:
            self._open.discard(stream)

    def cut_device(self, device_id: str) -> None:
        self._end([stream for stream in self._open if stream.device_id == device_id])

    def close(self) -> None:
        """End all streams, including those opened later."""
        self._closing = True
        self._end(list(self._open))

    def _end(self, streams: list[OpenStream]) -> None:
        for stream in streams:
            stream.end()
        asyncio.get_running_loop().call_later(GRACE_SECONDS, self._abort, streams)

    def _abort(self, streams: list[OpenStream]) -> None:
        for stream in streams:
            if stream in self._open:
                stream.abort()
