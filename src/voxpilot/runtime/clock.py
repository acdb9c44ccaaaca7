"""The time, as something that can be handed in.

Lives here: the real clock. Tests hand in one of their own.
"""

from __future__ import annotations

import time


class Clock:
    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()
