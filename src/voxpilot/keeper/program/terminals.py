"""Commands that run for the agent at the server's word, and outlive the server as the agent does.

Lives here: starting and ending them, keeping what they print, telling how they ended (in the journal), and
typing into those that have a terminal.
Lives elsewhere: the agent itself (keeper.py, lines.py), reading what was printed (../output.py).

What a command prints is one run of bytes, in files `terminal.<name>.<offset, 20 digits>` of PIECE_BYTES each.
Only the newest are kept. A name is used once: the same order again does nothing. What is typed is kept
nowhere but in memory until the program has read it; its key is remembered, so that nothing is typed twice.
"""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress

from . import processes
from .lines import READ_BYTES, close
from .segments import Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MARK = "VOXPILOT_TERMINAL"
TERM = "xterm-256color"
PIECE_BYTES = 1 << 20
KEPT_PIECES = 5
TOLD_BYTES = 512 << 10
"""So much of what a command prints is news; nobody shows more of it while it runs."""
QUIET_SECONDS = 0.3
"""Silence after which a command that has gone has said all, even if a child of it still holds its output."""
RETRY_SECONDS = 0.5
UNREAD_BYTES = 64 << 10
"""So much of what was typed may wait for a program to read it."""
NEVER = float("inf")


class Output:
    """All that a command prints, the newest of it on the disk."""

    def __init__(self, name: str) -> None:
        self.name, self.end = name, 0
        self.waiting = b""
        """What the disk has no room for yet."""
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
        self.typed: set[str] = set()  # keys of what was
        self.status: int | None = None
        self.heard = 0.0
        self.recorded = False

    @property
    def is_quiet(self) -> bool:
        return self.pipe < 0 or time.monotonic() >= self.heard + QUIET_SECONDS

    def read(self) -> None:
        try:
            data = os.read(self.pipe, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:  # how a terminal says that everybody has left it
            data = b""
        if data:
            self.heard = time.monotonic()
            if not self.recorded:  # what comes after its end is a child's, and only kept from blocking it
                self.output.append(data)
        else:
            self.pipe = close(self.pipe)
            self.to_type.clear()

    def take(self, key: str, data: bytes) -> bool:
        """Have something typed, once for each key; False if nobody will read it."""
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
        """Type what the terminal will take now."""
        try:
            while self.to_type:
                del self.to_type[: os.write(self.pipe, self.to_type)]
        except BlockingIOError:
            pass
        except OSError:
            self.to_type.clear()


class Terminals:
    """All commands of one agent, by name."""

    def __init__(self, journal: Journal, env: dict[str, str], umask: int) -> None:
        self._journal, self._env, self._umask = journal, env, umask
        self._all: dict[str, Terminal] = {}
        self._names: set[str] = set()

    @property
    def printed(self) -> int:
        """Grows with what is printed."""
        return sum(min(terminal.output.end, TOLD_BYTES) for terminal in self._all.values())

    def start(self, message: dict[str, Any]) -> None:
        """Run a command, unless one of that name was run before."""
        name, argv, cwd, env = (message[key] for key in ("id", "argv", "cwd", "env"))
        if name in self._names:
            return
        if not isinstance(name, str) or not name.replace("-", "").isalnum():
            raise ValueError("a name that cannot be")
        self._names.add(name)
        in_terminal = message.get("in_terminal") is True
        terminal = self._all[name] = Terminal(name, in_terminal)
        try:
            env = {**self._env, **({"TERM": TERM} if in_terminal else {}), **env, MARK: name}
            terminal.pid, terminal.pipe = processes.start_command(argv, env, cwd, self._umask, in_terminal)
        except processes.NotStarted as error:
            terminal.output.append(f"{error.text}\n".encode())
            terminal.status = 127 << 8  # as a shell says it

    def type(self, name: str, key: str, data: str) -> bool:
        """Type into a command's terminal; False if it has none, or has ended."""
        terminal = self._all.get(name)
        return terminal is not None and terminal.take(key, data.encode(errors="replace"))

    def kill(self, name: str) -> None:
        """End a command and all that it started."""
        terminal = self._all.get(name)
        if terminal is None or terminal.pid < 0:
            return
        if terminal.status is None:
            processes.send_signal(-terminal.pid, signal.SIGKILL)
        for pid in processes.descendants():
            if processes.carries(pid, f"{MARK}={name}"):
                processes.send_signal(pid, signal.SIGKILL)

    def kill_all(self) -> None:
        for name in self._all:
            self.kill(name)

    def forget(self, name: str) -> None:
        """It was read to its end: nothing of it is needed any more."""
        self.kill(name)
        terminal = self._all.get(name)
        if terminal is not None and terminal.recorded:
            del self._all[name]
            terminal.output.delete()
            close(terminal.pipe)

    def reaped(self, pid: int, status: int) -> None:
        for terminal in self._all.values():
            if terminal.pid == pid and terminal.status is None:
                terminal.status, terminal.heard = status, time.monotonic()

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
        """Write down the ends that have come; when to look again."""
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
        """The agent is gone: write down what is known of the rest."""
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
