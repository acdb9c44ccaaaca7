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
from typing import cast

from voxpilot import search_path
from voxpilot.values import dataclass

PASSED_ON = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR")
"""The variables of our environment that a program gets."""
_MOST_COMPLAINTS = 8_000
_LEAVE_SECONDS = 1.0
_STDIN, _STDOUT, _STDERR = 0, 1, 2


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
    output = _Output(limit_bytes)
    child, _ = await asyncio.get_running_loop().subprocess_exec(
        lambda: output, *argv, cwd=folder, env=_environment(env or {}), start_new_session=True
    )
    is_late = False
    try:
        with suppress(RuntimeError):  # so uvloop says that the program has closed it already
            _input_of(child).write(given)
            _input_of(child).write_eof()
        async with asyncio.timeout(limit_seconds):
            await output.is_complete.wait()
            if not output.is_cut:
                await output.has_exited.wait()
    except TimeoutError:
        is_late = True
    finally:
        await _end(child, output)
    complaints = output.complaints.decode(errors="replace").strip()
    code = None if output.is_cut or is_late else child.get_returncode()
    return Ran(code, bytes(output.out[:limit_bytes]), complaints, output.is_cut, is_late)


class _Output(asyncio.SubprocessProtocol):
    """What a program prints, up to a limit, and whether it has ended."""

    def __init__(self, limit_bytes: int) -> None:
        self.out, self.complaints = bytearray(), bytearray()
        self._limit_bytes = limit_bytes
        self.is_cut = False
        self.is_complete = asyncio.Event()
        """No more output is taken."""
        self.has_complained = asyncio.Event()
        """No more complaints follow."""
        self.has_exited = asyncio.Event()
        self.is_given_all = False
        """Its input is written and closed, or it takes no more of it."""

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == _STDERR:
            self.complaints += data[: max(0, _MOST_COMPLAINTS - len(self.complaints))]
        elif not self.is_cut:
            self.out += data
            self.is_cut = len(self.out) > self._limit_bytes
            if self.is_cut:
                self.is_complete.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == _STDOUT:
            self.is_complete.set()
        elif fd == _STDERR:
            self.has_complained.set()
        else:
            self.is_given_all = True

    def process_exited(self) -> None:
        self.has_exited.set()


def _input_of(child: asyncio.SubprocessTransport) -> asyncio.WriteTransport:
    return cast(asyncio.WriteTransport, child.get_pipe_transport(_STDIN))


async def _end(child: asyncio.SubprocessTransport, output: _Output) -> None:
    """End it with everything in its group, and close its pipes, which a process outside may still hold."""
    with suppress(ProcessLookupError):
        os.killpg(child.get_pid(), signal.SIGKILL)
    try:
        async with asyncio.timeout(_LEAVE_SECONDS):
            await output.has_exited.wait()  # not while it waits for a disk
            await output.has_complained.wait()
    except TimeoutError:
        pass
    finally:
        if not output.is_given_all:
            _input_of(child).abort()
        child.close()


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    environment = {**passed, "LC_ALL": "C.UTF-8", **more}
    search_path.make_absolute(environment)
    return environment
