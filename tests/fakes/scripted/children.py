"""Grandchildren that try to outlive the agent, in the ways real commands do."""

from __future__ import annotations

import contextlib
import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LIFETIME_SECONDS = 300


def spawn(way: str) -> int:
    """Start a sleeping process and return its pid.

    `plain` and `nohup` keep the agent's group and its standard output, so the pipe stays open after the agent
    is gone; `setsid` leaves the group; `stubborn` also ignores SIGTERM; `double` also leaves
    the family.
    """
    match way:
        case "plain":
            return _fork(lambda: None)
        case "nohup":
            return _fork(lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        case "setsid":
            return _fork(_leave_group)
        case "stubborn":
            return _fork(_leave_group, stubborn=True)
        case "double":
            return _fork_twice()
    raise ValueError(f"unknown way to spawn: {way!r}")


def _fork(prepare: Callable[[], object], stubborn: bool = False) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        prepare()
        _sleep_long(stubborn)
    finally:
        os._exit(127)


def _fork_twice() -> int:
    reading, writing = os.pipe()
    middle = os.fork()
    if not middle:
        _leave_group()
        grandchild = _fork(lambda: None)
        os.write(writing, str(grandchild).encode())
        os._exit(0)
    os.close(writing)
    grandchild = int(os.read(reading, 32))
    os.close(reading)
    with contextlib.suppress(ChildProcessError):  # The system reaps our children, see agent.main.
        os.waitpid(middle, 0)
    return grandchild


def _leave_group() -> None:
    os.setsid()
    quiet = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(quiet, descriptor)


def _sleep_long(stubborn: bool) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    if stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.execvp("sleep", ["sleep", str(LIFETIME_SECONDS)])
