"""The time, as an object that is passed in.

Lives here: the steady clock, which decides everything, and its difference to the wall clock. The steady clock
counts the seconds since the machine started, so setting the wall clock does not move it; its offset is kept
in the data directory, so a restart does not move it either. It never runs behind a time it has shown before.
Tests pass in their own clock.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path

LAST_SECOND = 1e11
"""In the year 5138. Far beyond it, floats are too coarse for fractions of a second, and time would stand
still."""
SHOWN_SECONDS = 0.5
"""Clocks that differ by less than this show the same time."""


def since_boot() -> float:
    """Seconds since the machine started, asleep or not; the same for every process."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class Clock:
    """Rows hold the steady time. Times shown to a person are moved by `shift` first."""

    offset: float = time.time() - since_boot()
    """What the steady clock said when the machine started, in seconds since 1970."""

    def __init__(self, kept: Path | None = None) -> None:
        """`kept` is a file that remembers the offset for as long as the machine runs."""
        self._kept = kept
        self.offset = time.time() - since_boot()
        if kept is not None:
            self._remember(*_read(kept))

    def now(self) -> float:
        """The steady time, in seconds since 1970: it never jumps while the machine runs."""
        return since_boot() + self.offset

    def shift(self) -> float:
        """What to add to a steady time to show it; 0 unless the wall clock was set."""
        differ = time.time() - since_boot() - self.offset
        return differ if abs(differ) >= SHOWN_SECONDS else 0.0

    def wall(self) -> float:
        """The time to show."""
        return self.now() + self.shift()

    def keep(self) -> None:
        """Store the current time, so that no later run begins before it."""
        if self._kept is None:
            return
        text = json.dumps({"boot": _boot_id(), "offset": self.offset, "last": self.now()})
        fresh = self._kept.with_name(self._kept.name + ".new")
        with suppress(OSError):
            fresh.write_text(text)
            os.replace(fresh, self._kept)

    def _remember(self, boot: str | None, offset: float, last: float) -> None:
        if boot is not None and boot == _boot_id():
            self.offset = offset
        elif last > self.now():  # the machine started with a clock that runs behind
            self.offset += last - self.now()
        self.keep()


def _read(kept: Path) -> tuple[str | None, float, float]:
    """The machine's boot id, its offset and the last known time; nothing if the file is invalid."""
    try:
        found = json.loads(kept.read_bytes())
        boot, offset, last = found["boot"], float(found["offset"]), float(found["last"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None, 0.0, 0.0
    if not isinstance(boot, str) or not (abs(offset) <= LAST_SECOND and abs(last) <= LAST_SECOND):
        return None, 0.0, 0.0
    return boot, offset, last


def _boot_id() -> str | None:
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return None
