"""How long we look at the disk to judge a call, because everybody waits meanwhile.

Lives here: measuring the looks for one call and for all calls of a chat, and refusing more of them when they
have taken too long; a person then decides about the call. An agent can name many paths, and a folder can be
made so that each of them is slow to follow. Lives elsewhere: what is looked at (boundaries.py), disks that do
not respond (threads.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from voxpilot.chat.permissions.shell import NotPlain

P = ParamSpec("P")
T = TypeVar("T")
MOST_SECONDS = 1.0
"""For one call."""
FREE_SECONDS = 0.05
"""For each call; only what is longer counts for the chat."""
CHAT_SECONDS = 3.0
PER_SECOND = 0.25
"""What a chat gets back."""
_MANY_CHATS = 200


class Allowance:
    """The time that looks for one chat may still take."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._left, self._at = CHAT_SECONDS, now()

    def left(self) -> float:
        now = self._now()
        self._left = min(CHAT_SECONDS, self._left + (now - self._at) * PER_SECOND)
        self._at = now
        return self._left

    def take(self, seconds: float) -> None:
        self._left = self.left() - seconds


class Look:
    """Everything that is looked at to judge one call; the time between two looks counts too."""

    def __init__(self, allowance: Allowance, now: Callable[[], float] = time.monotonic) -> None:
        self._allowance, self._now = allowance, now
        self._most = min(MOST_SECONDS, allowance.left())
        self._began: float | None = None
        self._spent = 0.0

    def timed(self, work: Callable[P, T]) -> Callable[P, T]:
        """The same function, until the call has taken too long; then it raises NotPlain."""

        def within_limits(*args: P.args, **kwargs: P.kwargs) -> T:
            self._count()
            if self._spent >= self._most:
                raise NotPlain("it would take too long to check")
            try:
                return work(*args, **kwargs)
            finally:
                self._count()

        return within_limits

    def _count(self) -> None:
        now = self._now()
        self._began = now if self._began is None else self._began
        before, self._spent = self._spent, now - self._began
        self._allowance.take(max(0.0, self._spent - FREE_SECONDS) - max(0.0, before - FREE_SECONDS))


_allowances: dict[str, Allowance] = {}


def look_for(chat: str) -> Look:
    """A new look for a call in a chat."""
    if len(_allowances) > _MANY_CHATS:
        for other in [each for each, its in _allowances.items() if its.left() >= CHAT_SECONDS]:
            del _allowances[other]
    return Look(_allowances.setdefault(chat, Allowance()))
