"""Ending a keeper that cannot end its agent, or was itself killed.

Lives here: finding it and its agent's processes by the marks it left, resuming it, ending them all.
Lives elsewhere: the normal end, which is done by the keeper itself (program/keeper.py).

A process belongs to the agent if its pid and start time are those recorded, when it is in the process
group of that process, when its environment says VOXPILOT_KEEPER=<id>, or when it descends from any of these.
So a pid that now belongs to somebody else is never touched. Without /proc nothing can be told apart, and
nothing is ended.
"""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from voxpilot.values import dataclass

_LIMIT_SECONDS = 5.0
_EMPTY_LOOKS = 3
"""How often nothing must be found before nothing is left: a process may start another and exit as we look."""
_LOOKS_AT_LOST = 5
"""How often a process whose parent is not listed is looked at again; a parent may be hidden from us."""
_PROGRAM = Path(__file__).with_name("program")
_OURS = "k-"
"""The prefix of the names of chats' keepers."""


def end_tree(directory: Path) -> int:
    """End all processes of the agent kept in `directory`; returns how many there were. Blocks up to 5 s.

    A keeper that still runs is suspended first, so that what it started stays below it, and killed last.
    """
    marks = _marks(directory)
    ended: set[tuple[int, int]] = set()
    empty_looks = 0
    limit = time.monotonic() + _LIMIT_SECONDS
    while marks and time.monotonic() < limit:
        everybody = _everybody()
        keepers = _keepers_of(directory, marks, everybody)
        for keeper in keepers:
            _send(keeper, signal.SIGSTOP)
        found = _processes_of(marks, everybody, keepers)
        empty_looks = 0 if found else empty_looks + 1
        if empty_looks >= _EMPTY_LOOKS:
            if not keepers:
                break
            found = keepers
        ended |= {(process.pid, process.start) for process in found if _send(process, signal.SIGKILL)}
        time.sleep(0.01)
    return len(ended)


def left_of(directory: Path) -> int:
    """How many processes of the agent kept there still run, its keeper included."""
    marks, everybody = _marks(directory), _everybody()
    if not marks:
        return 0
    keepers = _keepers_of(directory, marks, everybody)
    return len(keepers) + len(_processes_of(marks, everybody, keepers))


def running_in(directory: Path) -> dict[int, tuple[int, bool]]:
    """The processes of the agent kept there: for each pid its parent, and whether it is the keeper."""
    marks, everybody = _marks(directory), _everybody()
    if not marks:
        return {}
    keepers = _keepers_of(directory, marks, everybody)
    found = {process.pid: (process.parent, False) for process in _processes_of(marks, everybody, keepers)}
    return found | {keeper.pid: (keeper.parent, True) for keeper in keepers}


def wake_keeper(directory: Path) -> None:
    """Resume a suspended keeper and make it check its socket.

    A process that the keeper is just starting still has the keeper's command line, and the second signal
    would end it. So only the process that is recorded as the keeper gets it; it checks from time to time
    anyway.
    """
    marks = _marks(directory)
    for keeper in _keepers_of(directory, marks, _everybody()) if marks else ():
        _send(keeper, signal.SIGCONT)
        if _is_recorded(keeper, marks):
            _send(keeper, signal.SIGHUP)


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
        marks = None
    if not isinstance(marks, dict) or not marks.get("id"):
        # Not written yet, deleted or damaged: then its name and its command line mark it.
        return {"id": directory.name} if directory.name.startswith(_OURS) else {}
    return marks if marks.get("boot") == _boot_id() else {}


def _boot_id() -> str | None:
    """Start times are comparable only within one boot of the machine."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None


def _keepers_of(directory: Path, marks: dict[str, Any], everybody: dict[int, _Process]) -> list[_Process]:
    """The keeper by its pid and start time, and by its command line; it starts as up to three processes."""
    program = [os.fsencode(_PROGRAM), os.fsencode(directory.absolute())]
    return [
        process
        for pid, process in everybody.items()
        if _is_recorded(process, marks) or _command_of(pid)[-2:] == program
    ]


def _is_recorded(process: _Process, marks: dict[str, Any]) -> bool:
    """Whether the keeper recorded itself as this process."""
    noted = marks.get("keeper") or {}
    return (process.pid, process.start) == (noted.get("pid"), noted.get("start"))


def _processes_of(
    marks: dict[str, Any], everybody: dict[int, _Process], keepers: list[_Process]
) -> list[_Process]:
    """Everything the agent has started, without the keepers themselves."""
    agent = marks.get("agent") or {}
    leader = everybody.get(agent.get("pid", 0))
    group = agent.get("group") if leader and leader.start == agent.get("start") else None
    ours = {keeper.pid for keeper in keepers} | {
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
    return [everybody[pid] for pid in ours - {os.getpid(), *(keeper.pid for keeper in keepers)}]


def _everybody() -> dict[int, _Process]:
    """Every process that still runs (zombies do not)."""
    names = os.listdir("/proc") if os.path.isdir("/proc/self") else []
    found = (_look_at(int(name)) for name in names if name.isdigit())
    everybody = {process.pid: process for process in found if process}
    for _ in range(_LOOKS_AT_LOST):
        for process in [lost for lost in everybody.values() if lost.parent and lost.parent not in everybody]:
            _look_again(process, everybody)
    return everybody


def _look_again(process: _Process, everybody: dict[int, _Process]) -> None:
    """Its parent has exited since we began, so it has another one now, or has exited too."""
    now = _look_at(process.pid)
    if now is None or now.start != process.start:
        del everybody[process.pid]
        return
    everybody[now.pid] = now
    if now.parent not in everybody and (parent := _look_at(now.parent)):
        everybody[parent.pid] = parent


def _look_at(pid: int) -> _Process | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    if fields[0] in (b"Z", b"X") and int(fields[17]) < 2:  # other threads live on when the first has ended
        return None
    return _Process(pid, parent=int(fields[1]), group=int(fields[2]), start=int(fields[19]))


def _carries(pid: int, mark: bytes) -> bool:
    try:
        return mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _command_of(pid: int) -> list[bytes]:
    try:
        if os.stat(f"/proc/{pid}").st_uid != os.geteuid():
            return []
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1]
    except OSError:
        return []


def _send(process: _Process, number: signal.Signals) -> bool:
    """Signal exactly this process: its pid cannot become another's while we hold it open."""
    try:
        handle = os.pidfd_open(process.pid)
    except (OSError, AttributeError):
        handle = -1  # it is gone, which the next check finds, or the kernel is too old to hold it open
    try:
        now = _look_at(process.pid)
        if now is None or now.start != process.start:
            return False
        if handle >= 0:
            signal.pidfd_send_signal(handle, number)
        else:
            os.kill(process.pid, number)
        return True
    except OSError:
        return False
    finally:
        if handle >= 0:
            os.close(handle)
