"""Running a program briefly for its output.

Lives here: the time limit, and leaving nothing behind. Lives elsewhere: the programs (login_path.py,
versions.py), running agents (keeper/).
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from voxpilot import search_path

_LEAVE_SECONDS = 1.0
_POLITE_SECONDS = 0.5
_POLL_SECONDS = 0.01


def printed_by(argv: Sequence[str], env: Mapping[str, str], cwd: str, limit_seconds: float) -> bytes:
    """What it printed to either output within the time limit; raises OSError if it cannot be run."""
    program = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**env, "PATH": search_path.answering(env.get("PATH"))},
        cwd=cwd,
        start_new_session=True,
    )
    try:
        return program.communicate(timeout=limit_seconds)[0]
    except subprocess.TimeoutExpired as late:
        return late.output or b""
    finally:
        _end_group(program)
        assert program.stdout is not None
        program.stdout.close()
        with suppress(subprocess.TimeoutExpired):  # it may be waiting for a disk
            program.wait(timeout=_LEAVE_SECONDS)


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
