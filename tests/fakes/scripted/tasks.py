"""Concurrency in one thread: generators that yield what they wait for.

Lives here: waiting. Lives elsewhere: what is waited for (agent.py, directives.py).
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any

    Steps = Generator["Wait", None, Any]

NEVER = float("inf")
POLL_SECONDS = 0.01
clock = time.monotonic
"""The time of every agent of this process; tests/kit/memory puts its own clock here."""


class Wait:
    """What a task waits for: a moment or a condition, whichever comes first.

    A plain `Wait()` is just a pause in which a cancel can be noticed.
    """

    __slots__ = ("poll", "ready", "until")

    def __init__(
        self, until: float = 0.0, ready: Callable[[], bool] | None = None, poll: bool = False
    ) -> None:
        self.until = until
        self.ready = ready
        self.poll = poll
        """Whether the condition can come true without a frame arriving."""

    def is_over(self) -> bool:
        return clock() >= self.until or (self.ready is not None and self.ready())

    def timeout(self) -> float | None:
        """How long the agent may sleep before it checks again; None: until a frame arrives."""
        if self.poll:
            return POLL_SECONDS
        return None if self.until == NEVER else max(0.0, self.until - clock())


def seconds(amount: float) -> Wait:
    return Wait(until=clock() + amount)


def condition(ready: Callable[[], bool], poll: bool = False) -> Wait:
    return Wait(until=NEVER, ready=ready, poll=poll)


def for_ever() -> Wait:
    return Wait(until=NEVER)
