"""Commands that run for the agent at the server's request, and outlive the server like the agent.

Lives here: starting and ending them, storing their output, journaling how they ended, and typing into those
that have a terminal. Lives elsewhere: the agent itself (../keeper.py, ../lines.py), reading what was printed
(../../output.py).

A command's output is one stream of bytes, in files `terminal.<name>.<offset, 20 digits>` of PIECE_BYTES each.
Only the newest are kept. A name is used once: repeating an order does nothing. Typed input is kept only in
memory until the program has read it; its key is remembered, so that nothing is typed twice.
"""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress

from .. import processes
from ..lines import READ_BYTES, close
from ..sandbox import Sandbox
from ..segments import Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MARK = "VOXPILOT_TERMINAL"
TERM = "xterm-256color"
PIECE_BYTES = 1 << 20
KEPT_PIECES = 5
TOLD_BYTES = 512 << 10
"""Output beyond this is not announced: no more of it is shown while the command runs."""
QUIET_SECONDS = 0.3
"""After this much silence, an exited command's output is complete, even if a child holds it open."""
RETRY_SECONDS = 0.5
UNREAD_BYTES = 64 << 10
"""How much typed input may wait for a program to read it."""
NEVER = float("inf")


class Output:
    """The output of a command; the newest part is on the disk."""

    def __init__(self, name: str) -> None:
        self.name, self.end = name, 0
        self.waiting = b""
        """Data that is waiting for disk space."""
        self._bases: list[int] = []
        self._file = -1

    def append(self, data: bytes) -> None:
        self.waiting += data
        self.flush()

    def flush(self) -> None:
        with suppress(OSError):
            while self.waiting:
                if self._file < 0 or self.end >= self._bases[-1] + PIECE_BYTES:
                    self._next_piece()
                room = self._bases[-1] + PIECE_BYTES - self.end
                written = os.write(self._file, self.waiting[:room])
                self.waiting = self.waiting[written:]
                self.end += written

    def delete(self) -> None:
        self._file = close(self._file)
        for base in self._bases:
            self._unlink(base)
        self._bases.clear()

    def _next_piece(self) -> None:
        file = os.open(self._path(self.end), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        close(self._file)
        self._file = file
        self._bases.append(self.end)
        while len(self._bases) > KEPT_PIECES:
            self._unlink(self._bases.pop(0))

    def _unlink(self, base: int) -> None:
        with suppress(OSError):
            os.unlink(self._path(base))

    def _path(self, base: int) -> str:
        return f"terminal.{self.name}.{base:020d}"


class Terminal:
    """One command."""

    def __init__(self, name: str, takes_input: bool) -> None:
        self.name, self.output, self.takes_input = name, Output(name), takes_input
        self.pid = self.pipe = -1
        self.to_type = bytearray()
        self.typed: set[str] = set()  # keys of input that was typed
        self.status: int | None = None
        self.heard = 0.0
        self.recorded = self.is_killed = False

    @property
    def is_quiet(self) -> bool:
        return self.pipe < 0 or time.monotonic() >= self.heard + QUIET_SECONDS

    def read(self) -> None:
        try:
            data = os.read(self.pipe, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:  # how a terminal reports that nobody has it open any more
            data = b""
        if data:
            self.heard = time.monotonic()
            if not self.recorded:  # later output is a child's, read only so that it does not block
                self.output.append(data)
        else:
            self.pipe = close(self.pipe)
            self.to_type.clear()

    def take(self, key: str, data: bytes) -> bool:
        """Type something, once for each key; False if nobody will read it."""
        if key in self.typed:
            return True
        is_there = self.takes_input and self.pipe >= 0 and self.status is None
        if not is_there or len(self.to_type) + len(data) > UNREAD_BYTES:
            return False
        self.typed.add(key)
        self.to_type += data
        self.feed()
        return True

    def feed(self) -> None:
        """Type as much as the terminal accepts now."""
        try:
            while self.to_type:
                del self.to_type[: os.write(self.pipe, self.to_type)]
        except BlockingIOError:
            pass
        except OSError:
            self.to_type.clear()


class Terminals:
    """All commands of one agent, by name."""

    def __init__(self, journal: Journal, env: dict[str, str], umask: int, sandbox: Sandbox) -> None:
        self._journal, self._env, self._umask, self._sandbox = journal, env, umask, sandbox
        self._all: dict[str, Terminal] = {}
        self._names: set[str] = set()

    @property
    def printed(self) -> int:
        """Grows as output is printed."""
        return sum(min(terminal.output.end, TOLD_BYTES) for terminal in self._all.values())

    def start(self, message: dict[str, Any]) -> None:
        """Run a command, unless one with that name was run before."""
        name, argv, cwd, env = (message[key] for key in ("id", "argv", "cwd", "env"))
        if name in self._names:
            return
        if not isinstance(name, str) or not name.replace("-", "").isalnum():
            raise ValueError("invalid terminal name")
        self._names.add(name)
        in_terminal = message.get("in_terminal") is True
        terminal = self._all[name] = Terminal(name, in_terminal)
        try:
            env = {**self._env, **({"TERM": TERM} if in_terminal else {}), **env, MARK: name}
            terminal.pid, terminal.pipe = processes.start_command(
                argv, env, cwd, self._umask, in_terminal, self._sandbox.command
            )
        except processes.NotStarted as error:
            terminal.output.append(f"{error.text}\n".encode())
            terminal.status = 127 << 8  # as a shell reports it

    def type(self, name: str, key: str, data: str) -> bool:
        """Type into a command's terminal; False if it has none, or has ended."""
        terminal = self._all.get(name)
        return terminal is not None and terminal.take(key, data.encode(errors="replace"))

    def kill(self, name: str) -> None:
        """End a command and everything it started."""
        terminal = self._all.get(name)
        if terminal is None or terminal.pid < 0:
            return
        if terminal.status is None:
            terminal.is_killed = True
            processes.send_signal(-terminal.pid, signal.SIGKILL)
        for pid in processes.descendants():
            if processes.carries(pid, f"{MARK}={name}"):
                processes.send_signal(pid, signal.SIGKILL)

    def kill_all(self) -> None:
        for name in self._all:
            self.kill(name)

    def forget(self, name: str) -> None:
        """Its output was read to the end: nothing of it is needed any more."""
        self.kill(name)
        terminal = self._all.get(name)
        if terminal is not None and terminal.recorded:
            del self._all[name]
            terminal.output.delete()
            close(terminal.pipe)

    def reaped(self, pid: int, status: int) -> None:
        for terminal in self._all.values():
            if terminal.pid == pid and terminal.status is None:
                terminal.status, terminal.heard = (
                    self._sandbox.status(status, terminal.is_killed),
                    time.monotonic(),
                )

    def to_read(self) -> list[int]:
        return [
            terminal.pipe
            for terminal in self._all.values()
            if terminal.pipe >= 0 and not terminal.output.waiting
        ]

    def to_write(self) -> list[int]:
        return [terminal.pipe for terminal in self._all.values() if terminal.to_type]

    def hear(self, ready: list[Any]) -> None:
        for terminal in self._all.values():
            if terminal.pipe >= 0 and terminal.pipe in ready:
                terminal.read()

    def do_what_is_due(self, now: float) -> float:
        """Journal the commands that have ended; returns when to check again."""
        wakes = [NEVER]
        for terminal in self._all.values():
            terminal.feed()
            if terminal.output.waiting:
                terminal.output.flush()
                wakes.append(now + RETRY_SECONDS)
            elif terminal.status is not None and not terminal.recorded:
                if terminal.is_quiet:
                    self._record(terminal)
                else:
                    wakes.append(terminal.heard + QUIET_SECONDS + 0.01)
        return min(wakes)

    def finish(self) -> None:
        """The agent is gone: journal what is known about the remaining commands."""
        for terminal in self._all.values():
            if not terminal.recorded:
                terminal.read()
                self._record(terminal)

    def _record(self, terminal: Terminal) -> None:
        terminal.recorded = True
        code = None if terminal.status is None else os.waitstatus_to_exitcode(terminal.status)
        known = {"terminal": terminal.name, "bytes": terminal.output.end, "exit_code": code, "signal": None}
        if code is not None and code < 0:
            known.update(exit_code=None, signal=signal_name(-code))
        self._journal.append(b"t", json.dumps(known).encode())


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
