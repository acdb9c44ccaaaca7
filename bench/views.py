"""What a client received, analysed after the measurement.

Lives here: the joined text and when it began, the numbers of its events, the timestamps in it and how old
each was on arrival. Lives elsewhere: receiving (watcher.py), the event-stream format
(tests/kit/clients/sse.py).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.kit.clients.sse import Chunks, Event, Events

Arrivals = list[tuple[int, bytes]]
_STAMP = re.compile(rb"@(\w+)\.(\d+)\.(\d+)@")
_LONGEST_STAMP = 60
_TEXT = b"event: text-delta\n"


def text_of(arrivals: Arrivals) -> dict[str, Any]:
    """The text's length and hash, when its agent began to speak, how many events are missing."""
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
    """How many events arrived, and how many are missing between them."""
    numbers = _Numbers()
    for event in events_of(arrivals):
        numbers.take(event)
    return numbers.told()


def stamps_of(arrivals: Arrivals) -> dict[str, Any]:
    """Each timestamp as (who, number, nanoseconds from writing to arrival), in order."""
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


def first_words_of(arrivals: Arrivals) -> dict[str, Any]:
    """When the first text arrived, and the total number of words."""
    came = b""
    first_ns = 0
    for arrived_ns, data in arrivals:
        came = came[-len(_TEXT) :] + data
        if _TEXT in came:
            first_ns = arrived_ns
            break
    texts = [event.data["content"] for event in events_of(arrivals) if event.kind == "text-delta"]
    return {"first_ns": first_ns, "words": len("".join(texts).split())}


LOOKS: dict[str, Callable[[Arrivals], dict[str, Any]]] = {
    "text": text_of,
    "numbers": numbers_of,
    "stamps": stamps_of,
    "first words": first_words_of,
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
    """Whether events are consecutive; a joined run counts as all its events."""

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
