"""CLK: a clock that moves only when a test moves it."""

from __future__ import annotations


class FakeClock:
    """Replaces `time.time`: call `clock.now()` or the clock itself."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    __call__ = now

    def advance(self, seconds: float) -> None:
        """Move the clock forward; it never goes back."""
        assert seconds >= 0, "time only goes forward"
        self._now += seconds
