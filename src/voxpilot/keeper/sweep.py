"""Clearing up after a keeper that was itself killed.

Lives here: finding the processes of its agent by the marks it left, and ending them.
Lives elsewhere: the orderly end, which is the keeper's own work (program/keeper.py).

A process counts as the agent's when its pid and start time are those recorded, when it is in the process
group of that process, when its environment says VOXPILOT_KEEPER=<id>, or when it descends from any of these.
So a pid that now belongs to somebody else is never touched. Without /proc nothing can be told apart, and
nothing is ended.
"""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_LIMIT_SECONDS = 5.0


def end_tree(directory: Path) -> int:
    """End all processes of the agent kept in `directory`, and say how many there were. Blocks up to 5 s."""
    marks = _marks(directory)
    ended: set[tuple[int, int]] = set()
    limit = time.monotonic() + _LIMIT_SECONDS
    while marks and (found := _processes_of(marks)) and time.monotonic() < limit:
        ended |= {(process.pid, process.start) for process in found if _kill(process)}
        time.sleep(0.01)
    return len(ended)


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    parent: int
    group: int
    start: int
    """In clock ticks since the machine started."""


def _marks(directory: Path) -> dict[str, Any]:
    try:
        marks = json.loads((directory / "marks.json").read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(marks, dict) or not marks.get("id") or marks.get("boot") != _boot_id():
        return {}
    return marks


def _boot_id() -> str | None:
    """Start times mean something only within one run of the machine."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None


def _processes_of(marks: dict[str, Any]) -> list[_Process]:
    everybody = _everybody()
    keeper, agent = marks.get("keeper") or {}, marks.get("agent") or {}
    leader = everybody.get(agent.get("pid", 0))
    group = agent.get("group") if leader and leader.start == agent.get("start") else None
    ours = {
        pid
        for pid, process in everybody.items()
        if process.group == group or _carries(pid, f"VOXPILOT_KEEPER={marks['id']}".encode())
    }
    children: dict[int, list[int]] = {}
    for process in everybody.values():
        children.setdefault(process.parent, []).append(process.pid)
    found = list(ours)
    for pid in found:
        found += [child for child in children.get(pid, []) if child not in ours]
        ours.update(found)
    return [everybody[pid] for pid in ours - {os.getpid(), keeper.get("pid")}]


def _everybody() -> dict[int, _Process]:
    """Every process that still runs (one that only waits for its parent to notice its end does not)."""
    names = os.listdir("/proc") if os.path.isdir("/proc/self") else []
    found = (_look_at(int(name)) for name in names if name.isdigit())
    return {process.pid: process for process in found if process}


def _look_at(pid: int) -> _Process | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    if fields[0] in (b"Z", b"X"):
        return None
    return _Process(pid, parent=int(fields[1]), group=int(fields[2]), start=int(fields[19]))


def _carries(pid: int, mark: bytes) -> bool:
    try:
        return mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _kill(process: _Process) -> bool:
    """End exactly this process: its pid cannot become another's while we hold it open."""
    try:
        handle = os.pidfd_open(process.pid)
    except (OSError, AttributeError):
        handle = -1  # it has gone, which the next look finds, or the kernel is too old to hold it
    try:
        now = _look_at(process.pid)
        if now is None or now.start != process.start:
            return False
        if handle >= 0:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        else:
            os.kill(process.pid, signal.SIGKILL)
        return True
    except OSError:
        return False
    finally:
        if handle >= 0:
            os.close(handle)
