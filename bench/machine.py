"""The machine the figures come from, and how busy others keep it.

Lives here: processors, load, the share of time somebody works while we do not. Linux only, through /proc.
"""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

LOOK_SECONDS = 0.5
QUIET_PERCENT = 10.0
PATIENCE_SECONDS = 3.0


def described() -> str:
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    return f"{os.cpu_count()} processors, load {load}, Python {platform.python_version()}"


def wait_for_quiet() -> float:
    """Rest until others do too, or for as long as we have patience; how busy they were at last."""
    until = time.monotonic() + PATIENCE_SECONDS
    while (busy := busy_percent()) > QUIET_PERCENT and time.monotonic() < until:
        pass
    return busy


def busy_percent() -> float:
    """How much of all processors is in use now, looked at while we rest: what disturbs the figures."""
    busy, total = _times()
    time.sleep(LOOK_SECONDS)
    busy_now, total_now = _times()
    return 100 * (busy_now - busy) / max(1, total_now - total)


def processor_seconds(pid: int) -> float:
    """What a process has used so far, which is the same however busy others are."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _times() -> tuple[int, int]:
    user, nice, system, idle, waiting, *rest = map(
        int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9]
    )
    busy = user + nice + system + sum(rest)
    return busy, busy + idle + waiting
