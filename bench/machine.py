"""The machine that produced the figures, and how busy it is with other work.

Lives here: processors, load, the share of processor time used by others. Linux only, through /proc.
"""

from __future__ import annotations

import os
import platform
import re
import time
from pathlib import Path

LOOK_SECONDS = 0.5
QUIET_PERCENT = 10.0
PATIENCE_SECONDS = 3.0


def described() -> str:
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    cores = len(os.sched_getaffinity(0))
    return f"{cores} cores of {_model()}, load {load}, Python {platform.python_version()}"


def _model() -> str:
    """The model name of the processor."""
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def wait_for_quiet() -> float:
    """Wait until the machine is idle, up to a limit; returns how busy it was at the end."""
    until = time.monotonic() + PATIENCE_SECONDS
    while (busy := busy_percent()) > QUIET_PERCENT and time.monotonic() < until:
        pass
    return busy


def busy_percent() -> float:
    """How much of all processors is in use while we wait: what disturbs the figures."""
    busy, total = _times()
    time.sleep(LOOK_SECONDS)
    busy_now, total_now = _times()
    return 100 * (busy_now - busy) / max(1, total_now - total)


def processor_seconds(pid: int) -> float:
    """The processor time used by a process, which does not depend on other load."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _times() -> tuple[int, int]:
    user, nice, system, idle, waiting, *rest = map(
        int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9]
    )
    busy = user + nice + system + sum(rest)
    return busy, busy + idle + waiting
