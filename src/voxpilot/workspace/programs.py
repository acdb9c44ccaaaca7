"""Running a program in a chat's folder for its output.

Lives here: limits on time and output, and leaving nothing running, even if the caller is cancelled. Lives
elsewhere: which programs (looker/).
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from voxpilot import search_path
from voxpilot.values import dataclass

PASSED_ON = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR")
"""The variables of our environment that a program gets."""
_MOST_COMPLAINTS = 8_000
_LEAVE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Ran:
    code: int | None
    """None if it was ended because of a limit."""
    out: bytes
    complaints: str
    is_cut: bool = False
    """It printed more than the limit."""
    is_late: bool = False
    """It took longer than the limit."""


async def run(
    argv: Sequence[str],
    folder: str,
    *,
    env: Mapping[str, str] | None = None,
    given: bytes = b"",
    limit_bytes: int = 1_000_000,
    limit_seconds: float = 10.0,
) -> Ran:
    """Raises OSError if it cannot be run. Output before a limit was reached is kept."""
    child = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        env=_environment(env or {}),
        start_new_session=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    out, complaints = bytearray(), bytearray()
    is_late = False
    others = asyncio.gather(
        _give(child.stdin, given), _take(child.stderr, complaints, _MOST_COMPLAINTS, go_on=True)
    )
    try:
        async with asyncio.timeout(limit_seconds):
            await _take(child.stdout, out, limit_bytes)
            if len(out) <= limit_bytes:
                await child.wait()
    except TimeoutError:
        is_late = True
    finally:
        code = await _end(child, others)
    is_cut = len(out) > limit_bytes
    words = complaints.decode(errors="replace").strip()
    return Ran(None if is_cut or is_late else code, bytes(out[:limit_bytes]), words, is_cut, is_late)


async def _end(child: asyncio.subprocess.Process, others: asyncio.Future[Any]) -> int | None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    await asyncio.wait([others], timeout=1.0)  # its last output; nothing follows after it has exited
    others.cancel()
    await asyncio.gather(others, return_exceptions=True)
    return await _left(child)


async def _left(child: asyncio.subprocess.Process) -> int | None:
    """Its exit code; None if it still does not exit, because it waits for a disk."""
    try:
        async with asyncio.timeout(_LEAVE_SECONDS):
            return await child.wait()
    except TimeoutError:
        return None


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    environment = {**passed, "LC_ALL": "C.UTF-8", **more}
    search_path.make_absolute(environment)
    return environment


async def _give(stream: asyncio.StreamWriter, data: bytes) -> None:
    with suppress(ConnectionError):
        stream.write(data)
        await stream.drain()
        stream.close()
        await stream.wait_closed()


async def _take(stream: asyncio.StreamReader, into: bytearray, limit: int, go_on: bool = False) -> None:
    """Read until it ends or exceeds the limit; `go_on` reads and discards output beyond the limit."""
    while data := await stream.read(65_536):
        if len(into) <= limit:
            into += data
        elif not go_on:
            return
