"""Waking the followers of a chat.

Lives here: the newest committed events that a follower has yet to take, encoded once for all of them, and
the wait for more. The log is authoritative; this only saves reading it again. Lives elsewhere: the log
(storage/chats/event_log.py), following (following.py).
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from typing import Protocol

from voxpilot.storage.chats.event_log import PAGE_BYTES, Recorded

RECENT_BYTES = 500_000
_EACH = 200
"""The memory of an event in addition to its JSON."""


class Reader(Protocol):
    after: int
    """The number of the last event it has taken."""
    bell: asyncio.Event
    """Rings at each announcement; a waiter may wait for other things too."""


class Wakeup:
    def __init__(self, last: int) -> None:
        self.last = last
        """The number of the newest event."""
        self._recent: list[Recorded] = []
        self.size = 0
        """About the bytes that they take."""
        self.readers: set[Reader] = set()
        self.closed = False

    def announce(self, events: list[Recorded]) -> None:
        """These are committed now."""
        if not events:
            return
        if events[0].seq != self.last + 1:  # readers find what was never announced in the log
            self.hold(0)
        self.last = events[-1].seq
        if not self.readers:  # a later reader begins with a snapshot
            self.hold(0)
            return
        self._drop(self._place_after(min(reader.after for reader in self.readers)))
        self._recent.extend(events)
        self.size += sum(map(_size, events))
        if self.size > 2 * RECENT_BYTES:
            self.hold(RECENT_BYTES)
        self._ring()

    def close(self) -> None:
        """The chat is no longer awake; its followers end."""
        self.closed = True
        self.hold(0)
        self._ring()

    def recent_after(self, after: int) -> list[Recorded] | None:
        """Events after a number, or None when they are no longer in memory."""
        if after >= self.last:
            return []
        if not self._recent or after < self._recent[0].seq - 1:
            return None
        taken: list[Recorded] = []
        size = 0
        for place in range(self._place_after(after), len(self._recent)):
            event = self._recent[place]
            taken.append(event)
            size += len(event.body)
            if size >= PAGE_BYTES:
                break
        return taken

    def hold(self, most_bytes: int) -> None:
        """Drop the oldest beyond this."""
        count, size = 0, self.size
        while size > most_bytes and count < len(self._recent):
            size -= _size(self._recent[count])
            count += 1
        self._drop(count)

    def _drop(self, count: int) -> None:
        self.size -= sum(_size(event) for event in self._recent[:count])
        del self._recent[:count]

    def _place_after(self, seq: int) -> int:
        return bisect_right(self._recent, seq, key=lambda event: event.seq)

    def _ring(self) -> None:
        for reader in self.readers:
            reader.bell.set()


def _size(event: Recorded) -> int:
    return len(event.body) + _EACH
