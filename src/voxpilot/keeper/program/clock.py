"""The keeper's clock, which nobody can set.

Lives here: the seconds since the machine started, and the time of a record: those seconds plus the reading of
the server's clock at that moment. Lives elsewhere: that clock (runtime/shared/clock.py).
"""

from __future__ import annotations

import time


def since_boot() -> float:
    """Seconds since the machine started, as start times of processes are counted."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def offset_now() -> float:
    """For a server that does not send its clock: the current wall clock."""
    return time.time() - since_boot()
