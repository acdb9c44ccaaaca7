"""The processes of an agent, with their CPU time and memory.

Lives here: one look at them. Lives elsewhere: which processes belong to an agent (sweep.py).
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from voxpilot.keeper.sweep import running_in
from voxpilot.values import dataclass

MOST = 100
"""Processes that are shown; the rest is counted."""
_SAMPLE_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Running:
    """One process."""

    pid: int
    parent: int
    name: str
    """As the kernel knows it; its arguments may contain secrets."""
    is_keeper: bool
    cpu_percent: float
    """Of one core, during a fifth of a second."""
    cpu_seconds: float
    memory_bytes: int
    """In memory now; shared pages count for each process."""


@dataclass(frozen=True, slots=True)
class Usage:
    processes: tuple[Running, ...]
    left_out: int


def usage_of(directory: Path) -> Usage:
    """The processes of the agent kept in `directory`. Blocks for a fifth of a second; empty without /proc."""
    known = running_in(directory)
    chosen = sorted(known)[:MOST]
    before = {pid: _cpu_seconds(pid) for pid in chosen}
    begun = time.monotonic()
    if chosen:
        time.sleep(_SAMPLE_SECONDS)
    passed = max(time.monotonic() - begun, 0.001)
    found = []
    for pid in chosen:
        seconds, earlier, memory = _cpu_seconds(pid), before[pid], _memory(pid)
        if seconds is None or memory is None:
            continue
        percent = 100 * (seconds - (earlier if earlier is not None else seconds)) / passed
        parent, is_keeper = known[pid]
        found.append(
            Running(pid, parent, _name(pid), is_keeper, round(percent, 1), round(seconds, 2), memory)
        )
    return Usage(tuple(found), len(known) - len(chosen))


def _fields(pid: int) -> list[bytes] | None:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None


def _cpu_seconds(pid: int) -> float | None:
    fields = _fields(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else None


def _memory(pid: int) -> int | None:
    fields = _fields(pid)
    return int(fields[21]) * os.sysconf("SC_PAGE_SIZE") if fields else None


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
    except OSError:
        return ""
