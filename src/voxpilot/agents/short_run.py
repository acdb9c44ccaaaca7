"""Running a program for what it prints, and for a short time only.

Lives here: the time limit, and that nothing of it is left. Lives elsewhere:
what is asked (login_path.py, versions.py), running agents (keeper/).
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress


def printed_by(argv: Sequence[str], env: Mapping[str, str], cwd: str, limit_seconds: float) -> bytes:
    """What it printed within the time, by either output; raises OSError if it cannot be run."""
    program = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(env),
        cwd=cwd,
        start_new_session=True,
    )
    with program:
        try:
            return program.communicate(timeout=limit_seconds)[0]
        except subprocess.TimeoutExpired as late:
            return late.output or b""
        finally:
            with suppress(OSError):
                os.killpg(program.pid, signal.SIGKILL)
