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

from voxpilot import search_path

LONGEST_LINE_BYTES = 1 << 20


@asynccontextmanager
async def running(command: Sequence[str], folder: Path) -> AsyncIterator[Process]:
    """Run the command with our own Python; it ends with the block, together with everything it started."""
    found = os.pathsep.join([str(Path(sys.executable).parent), search_path.absolute(os.environ.get("PATH"))])
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**os.environ, "PATH": found},
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        limit=LONGEST_LINE_BYTES,
        start_new_session=True,  # its own process group, so that its children can be ended too
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
