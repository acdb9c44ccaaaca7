"""Waking those who follow a chat.

Lives here: the newest committed events, encoded once for all who look, and the
wait for more. The log is the truth; this only saves reading it again. Lives
elsewhere: the log (storage/event_log.py), following (live_chat.py).
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right

from voxpilot.storage.event_log import PAGE_BYTES, Recorded

RECENT_BYTES = 2_000_000


class Wakeup:
    def __init__(self, last: int) -> None:
        self.last = last
        """The number of the newest event."""
        self._recent: list[Recorded] = []
        self._bytes = 0
        self.bells: set[asyncio.Event] = set()
        """Rung at each announcement; whoever waits may wait for other things too."""
        self.closed = False

    def announce(self, events: list[Recorded]) -> None:
        """These are committed now."""
        if not events:
            return
        self._recent.extend(events)
        self._bytes += sum(len(event.body) for event in events)
        if self._bytes > 2 * RECENT_BYTES:
            self._drop_oldest()
        self.last = events[-1].seq
        self._ring()

    def close(self) -> None:
        """The chat is no longer awake; followers end."""
        self.closed = True
        self._ring()

    def recent_after(self, after: int) -> list[Recorded] | None:
        """Events after a number, or None when they are too old to be at hand."""
        if after >= self.last:
            return []
        if not self._recent or after < self._recent[0].seq - 1:
            return None
        taken: list[Recorded] = []
        size = 0
        for place in range(bisect_right(self._recent, after, key=lambda event: event.seq), len(self._recent)):
            event = self._recent[place]
            taken.append(event)
            size += len(event.body)
            if size >= PAGE_BYTES:
                break
        return taken

    def _drop_oldest(self) -> None:
        drop = 0
        while self._bytes > RECENT_BYTES and drop < len(self._recent) - 1:
            self._bytes -= len(self._recent[drop].body)
            drop += 1
        del self._recent[:drop]

    def _ring(self) -> None:
        for bell in self.bells:
            bell.set()
