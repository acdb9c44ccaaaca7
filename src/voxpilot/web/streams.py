"""All open streams, so that they can be ended.

Lives here: ending those of one device, or all of them; a reader that does not
take what was sent is not waited for. Lives elsewhere: what a stream carries
(channel.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

GRACE_SECONDS = 0.5
"""How long a stream that must end may take over its last bytes."""


@dataclass(slots=True, eq=False)
class OpenStream:
    """One connection. Its bell rings when there may be something to send, and when it must end."""

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


class Streams:
    def __init__(self) -> None:
        self._open: set[OpenStream] = set()
        self._closing = False

    @contextmanager
    def opened(self, stream: OpenStream) -> Iterator[None]:
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
        """End all, and all that are still to come."""
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
