"""What a client received, looked at after the clock has stopped.

Lives here: the text it adds up to, the numbers of its events, the stamps in it and how old each was when it
came.
Lives elsewhere: receiving (watcher.py), the event-stream format (tests/kit/sse.py).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.kit.sse import Chunks, Event, Events

Arrivals = list[tuple[int, bytes]]
_STAMP = re.compile(rb"@(\w+)\.(\d+)\.(\d+)@")
_LONGEST_STAMP = 60


def text_of(arrivals: Arrivals) -> dict[str, Any]:
    """The text by its length and hash, when its agent began to speak, how many events are missing."""
    digest, length, began_ns = hashlib.sha256(), 0, 0
    numbers = _Numbers()
    for event in events_of(arrivals):
        numbers.take(event)
        if event.kind == "text-delta":
            digest.update(event.data["content"].encode())
            length += len(event.data["content"])
        elif event.kind == "thought-delta":
            began_ns = int(event.data["content"].split()[1])
    return {"began_ns": began_ns, "length": length, "sha256": digest.hexdigest(), **numbers.told()}


def numbers_of(arrivals: Arrivals) -> dict[str, Any]:
    """How many events came, and how many are missing between them."""
    numbers = _Numbers()
    for event in events_of(arrivals):
        numbers.take(event)
    return numbers.told()


def stamps_of(arrivals: Arrivals) -> dict[str, Any]:
    """Each stamp as (who, number, nanoseconds from writing to arrival), in order."""
    stamps: list[tuple[str, int, int]] = []
    edge = b""
    for arrived_ns, data in arrivals:
        data, end = edge + data, 0
        for found in _STAMP.finditer(data):
            who, number, written_ns = found.groups()
            stamps.append((who.decode(), int(number), arrived_ns - int(written_ns)))
            end = found.end()
        edge = data[end:][-_LONGEST_STAMP:]
    return {"stamps": stamps}


LOOKS: dict[str, Callable[[Arrivals], dict[str, Any]]] = {
    "text": text_of,
    "numbers": numbers_of,
    "stamps": stamps_of,
}


def events_of(arrivals: Arrivals) -> Iterator[Event]:
    chunks, events = Chunks(), Events()
    head: bytes | None = b""
    for _, data in arrivals:
        if head is not None:
            head, found, data = (head + data).partition(b"\r\n\r\n")
            if not found:
                continue
            head = None
        yield from events.feed(chunks.feed(data))


class _Numbers:
    """Whether events come one after the other; a joined run counts for all it holds."""

    def __init__(self) -> None:
        self._last = 0
        self._missing = 0

    def take(self, event: Event) -> None:
        if not event.is_stored:
            return
        self._missing += abs(event.first_seq - self._last - 1)
        self._last = event.seq

    def told(self) -> dict[str, Any]:
        return {"events": self._last, "missing": self._missing}
