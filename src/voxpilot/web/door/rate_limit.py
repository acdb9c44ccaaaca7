"""How often an address has failed recently.

Lives here: counting failures of the last minute, without ever holding many
addresses. Lives elsewhere: what counts as a failure (access.py, guard.py).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 60.0
_ADDRESSES_LIMIT = 10_000


class Attempts:
    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._limit = per_minute
        self._now = now
        self._failures: dict[str, deque[float]] = {}

    def failed(self, address: str) -> None:
        self._forget_old(address)
        if len(self._failures) >= _ADDRESSES_LIMIT:
            self._failures.pop(next(iter(self._failures)))
        self._failures.setdefault(address, deque(maxlen=self._limit)).append(self._now())

    def wait_seconds(self, address: str) -> float:
        """How long the address must wait before it may try again; 0 if it need not wait."""
        self._forget_old(address)
        failures = self._failures.get(address)
        if failures is None or len(failures) < self._limit:
            return 0.0
        return failures[0] + WINDOW_SECONDS - self._now()

    def _forget_old(self, address: str) -> None:
        failures = self._failures.get(address)
        while failures and failures[0] <= self._now() - WINDOW_SECONDS:
            failures.popleft()
        if not failures:
            self._failures.pop(address, None)
