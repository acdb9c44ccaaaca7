"""What readers of a chat have seen so far.

Lives here: when it last changed, and which turn a stop request without a turn refers to. It follows what is
published, never the step in progress, and is only in memory. Lives elsewhere: stopping a turn
(turns/turn.py).
"""

from __future__ import annotations

from voxpilot.errors import Conflict
from voxpilot.runtime.turns import turn
from voxpilot.storage.chats.ledger import Ledger

TAKEN_OVER_SECONDS = 5.0
"""How long a stop without a turn may still be meant for the previous turn."""


class TakenOver(Conflict):
    """A stop that may have been meant for the previous turn."""


class Shown:
    def __init__(self, ledger: Ledger, now: float) -> None:
        self.changed_at = now
        self._running: str | None = None
        self._behind: frozenset[str] = frozenset()
        """Turns that waited while another ran."""
        self._ended_at = self._taken_over_at = float("-inf")
        self._look(ledger, now)
        self._taken_over_at = float("-inf")  # a reader after a restart sees what runs

    def publish(self, ledger: Ledger, is_news: bool, now: float) -> None:
        """A step was committed."""
        if is_news:
            self.changed_at = now
        self._look(ledger, now)

    def meant(self, now: float) -> str:
        """The turn to stop if none is named: the one shown as running when the request arrives.

        A turn that has just replaced another does not qualify: the caller may not know about it yet.
        """
        if self._running is None:
            raise Conflict("Nothing is running in this chat.")
        if now < self._taken_over_at + TAKEN_OVER_SECONDS:
            raise TakenOver("The next turn has already started.", "Specify the turn to stop.")
        return self._running

    def _look(self, ledger: Ledger, now: float) -> None:
        current = turn.running(ledger)
        running, waiting = current.id if current else None, {queued.id for queued in turn.queued(ledger)}
        if running != self._running:
            if self._running is not None:
                self._ended_at = now
            is_soon = running in self._behind or now < self._ended_at + TAKEN_OVER_SECONDS
            self._taken_over_at = now if is_soon else float("-inf")
        self._running = running
        self._behind = frozenset(waiting if running is not None else self._behind & waiting)
