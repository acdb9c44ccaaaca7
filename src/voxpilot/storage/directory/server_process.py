"""Which process a running server is.

A pid alone is not enough: it may belong to another program by now, or to another machine or container that
uses the same directory.

Lives here: the facts that identify a process, and holding on to it while it is signalled. Lives elsewhere:
where they are written down (data_dir.py), stopping a server (cli/stop.py).
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

Facts = dict[str, Any]
_NO_HANDLE = -1


def this_process() -> Facts:
    """What identifies this process; systems without /proc only have its pid."""
    found = {"pid": os.getpid(), "start": _start_of(os.getpid()), **_surroundings()}
    return {name: value for name, value in found.items() if value is not None}


def is_running(facts: Facts) -> bool:
    """Whether the process may be running; false if its pid is unused or belongs to another process."""
    pid = facts.get("pid")
    if type(pid) is not int or pid < 1:
        return False
    return is_elsewhere(facts) or facts.get("start") in (None, _start_of(pid))


def is_elsewhere(facts: Facts) -> bool:
    """Whether its pid means nothing here: another machine, an earlier boot of this one, or a container."""
    return any(facts.get(name) not in (None, value) for name, value in _surroundings().items())


class Process:
    """A process that was found. Its pid cannot become another's, if the system supports that."""

    def __init__(self, pid: int, handle: int) -> None:
        self._pid, self._handle = pid, handle

    def signal(self, number: signal.Signals) -> None:
        if self._handle == _NO_HANDLE:
            os.kill(self._pid, number)
        else:
            signal.pidfd_send_signal(self._handle, number)

    def is_gone(self, within_seconds: float) -> bool | None:
        """None if the system cannot tell."""
        if self._handle == _NO_HANDLE:
            return None
        return bool(select.select([self._handle], [], [], within_seconds)[0])


@contextmanager
def found(facts: Facts) -> Iterator[Process | None]:
    """The process, held within the block; None if it is gone."""
    handle = _NO_HANDLE
    try:
        handle = os.pidfd_open(facts["pid"])
    except ProcessLookupError:
        yield None
        return
    except (OSError, AttributeError):  # this system cannot hold a process
        pass
    try:
        # Only now, because the pid could have changed hands before.
        yield Process(facts["pid"], handle) if is_running(facts) else None
    finally:
        if handle != _NO_HANDLE:
            os.close(handle)


@cache
def _surroundings() -> Facts:
    """Start times are comparable only within one boot, and pids within one namespace."""
    boot, namespace = None, None
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        pass
    return {"boot": boot, "pid_namespace": namespace}


def _start_of(pid: int) -> int | None:
    """In clock ticks since the machine started."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
    except (OSError, IndexError, ValueError):
        return None
