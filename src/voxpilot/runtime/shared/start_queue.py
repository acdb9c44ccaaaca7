"""A queue for starting agents, so that many at once do not starve each other.

Lives here: the queue of waiting agents, over all chats. It is only in memory:
after a restart the agents that still wait queue up again, as their rows say. Lives elsewhere: what its
position means for a process (step/progress.py).
"""

from __future__ import annotations

from collections.abc import Callable


class Starts:
    """At most this many processes start at once; the others wait in the queue."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit = limit
        self._starting: set[str] = set()
        self._waiting: dict[str, Callable[[], None]] = {}

    def place(self, process_id: str, nudge: Callable[[], None]) -> int:
        """0 if it may start now, otherwise its position; `nudge` is called when that changes."""
        if process_id in self._starting:
            return 0
        self._waiting.setdefault(process_id, nudge)
        place = list(self._waiting).index(process_id) + 1
        if len(self._starting) + place > self._limit():
            return len(self._starting) + place - self._limit()
        self._starting.add(process_id)
        del self._waiting[process_id]
        return 0

    def began(self, process_id: str) -> None:
        """It is starting now."""
        self._starting.add(process_id)

    def over(self, process_id: str) -> None:
        """It has started, or will not."""
        self._starting.discard(process_id)
        self._waiting.pop(process_id, None)
        for nudge in self._waiting.values():
            nudge()


def ordinal(place: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th") if place % 100 not in (11, 12, 13) else "th"
    return f"{place}{ending}"
