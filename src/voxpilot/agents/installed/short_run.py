"""Running a program briefly for its output.

Lives here: the limits on time and output, and leaving nothing behind. Lives elsewhere: the programs
(login_path.py, versions.py), running agents (keeper/).
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from voxpilot import search_path

MOST_BYTES = 1 << 20
"""After this much output it is ended: it may print without end."""
_READ_BYTES = 65_536
_LEAVE_SECONDS = 1.0
_POLITE_SECONDS = 0.5
_POLL_SECONDS = 0.01


def printed_by(argv: Sequence[str], env: Mapping[str, str], cwd: str, limit_seconds: float) -> bytes:
    """What it printed to either output within the limits; raises OSError if it cannot be run."""
    until = time.monotonic() + limit_seconds
    program = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**env, "PATH": search_path.answering(env.get("PATH"))},
        cwd=cwd,
        start_new_session=True,
    )
    assert program.stdout is not None
    try:
        printed, is_all = _read(program.stdout.fileno(), until)
        if is_all:
            with suppress(subprocess.TimeoutExpired):
                program.wait(timeout=max(0.0, until - time.monotonic()))
        return printed
    finally:
        _end_group(program)
        program.stdout.close()
        with suppress(subprocess.TimeoutExpired):  # it may be waiting for a disk
            program.wait(timeout=_LEAVE_SECONDS)


def _read(file: int, until: float) -> tuple[bytes, bool]:
    """What arrives until then, up to the limit, and whether that was all."""
    printed = bytearray()
    ready = select.poll()
    ready.register(file, select.POLLIN)
    while len(printed) < MOST_BYTES and ready.poll(max(0.0, until - time.monotonic()) * 1000):
        if not (data := os.read(file, _READ_BYTES)):
            return bytes(printed), True
        printed += data
    return bytes(printed), False


def _end_group(program: subprocess.Popen[bytes]) -> None:
    """End it and what it started: politely first, since a killed program leaves its lock files behind.

    If a login shell is killed while a tool such as pyenv holds a lock, every later shell waits for the lock.
    """
    until = time.monotonic() + _POLITE_SECONDS
    asked = False
    with suppress(OSError):  # nothing is left
        while time.monotonic() < until:
            program.poll()  # its group exists until it is reaped
            os.killpg(program.pid, 0 if asked else signal.SIGTERM)
            asked = True
            time.sleep(_POLL_SECONDS)
        os.killpg(program.pid, signal.SIGKILL)
