"""Running a program.

Lives here: a child process that does not outlive its block.
Lives elsewhere: asking whether it may run, showing its output (tour.py).
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

LONGEST_LINE_BYTES = 1 << 20


@asynccontextmanager
async def running(command: Sequence[str], folder: Path) -> AsyncIterator[Process]:
    """Run the command, with our own Python; on leaving the block it ends, with all that it started."""
    found = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**os.environ, "PATH": found},
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        limit=LONGEST_LINE_BYTES,
        start_new_session=True,  # a group of its own, so that its children can be ended too
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
