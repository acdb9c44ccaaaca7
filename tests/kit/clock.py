"""CLK: time that passes only when a test says so."""

from __future__ import annotations


class FakeClock:
    """Stands in for `time.time`: `clock.now()`, or the clock itself called."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    __call__ = now

    def advance(self, seconds: float) -> None:
        """Let time pass; it never goes back."""
        assert seconds >= 0, "time only goes forward"
        self._now += seconds
