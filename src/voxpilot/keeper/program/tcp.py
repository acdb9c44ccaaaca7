"""An agent that listens on a socket, made to look like one that reads stdin and prints to stdout.

Lives here: a process between the two. It starts the agent's program if there is one, connects as soon as
somebody listens, passes bytes both ways, and exits with the agent's exit status.
Lives elsewhere: the keeper, to which this process is the agent (keeper.py).
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
from contextlib import suppress

from .processes import CHANGED_SIGNALS, Files, NotStarted, become, fork, send_signal, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

RETRY_SECONDS = 0.05
CONNECT_SECONDS = 5.0
LEAVE_SECONDS = 1.0
"""How long the program may take to exit after the connection closed, and after SIGTERM."""
PIECE_BYTES = 64 << 10


def start(
    address: tuple[str, int], argv: list[str], env: dict[str, str], cwd: str, umask: int
) -> tuple[int, int, int, int]:
    """Run the process in between; returns its pid and our ends of its stdin, stdout and stderr."""
    return spawn(lambda pipes, tell: stand_in(address, argv, env, cwd, umask, pipes, tell))


def stand_in(
    address: tuple[str, int],
    argv: list[str],
    env: dict[str, str],
    cwd: str,
    umask: int,
    pipes: tuple[int, int, int],
    tell: int,
) -> NoReturn:
    """Act as the agent until it exits. Runs in a fork of the keeper."""
    try:
        settle(pipes, tell)
        program = Program(argv, env, cwd, umask) if argv else None
        os.close(tell)
        connection = connect(address, program)
        if connection is not None:
            pass_on(connection)
        leave(program.end() if program else 0)
    except NotStarted as error:
        os.write(tell, json.dumps([error.errno, error.where, error.text]).encode())
    except BaseException as error:
        complain(str(error))
    finally:
        os._exit(1)


def settle(pipes: tuple[int, int, int], tell: int) -> None:
    """Close what was inherited from the keeper, above all its lock, which must be free once it is gone."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for name in CHANGED_SIGNALS:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for target, pipe in enumerate(pipes):
        os.dup2(pipe, target)
    os.closerange(3, tell)
    os.closerange(tell + 1, 65536)


class Program:
    """Start the program that will listen. It gets no input, and its output is only for people."""

    def __init__(self, argv: list[str], env: dict[str, str], cwd: str, umask: int) -> None:
        self.status: int | None = None
        with Files() as files:
            pipes = (files.nothing(), 2, 2)
            self.pid = fork(files, lambda tell: become(argv, env, cwd, umask, pipes, tell))

    def has_ended(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if pid else None
        return self.status is not None

    def end(self) -> int:
        """Its exit status, once it has exited: by itself, after SIGTERM, or after SIGKILL."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            deadline = time.monotonic() + LEAVE_SECONDS
            while not self.has_ended() and time.monotonic() < deadline:
                time.sleep(0.01)
            if not self.has_ended():
                send_signal(self.pid, number)
        while not self.has_ended():
            time.sleep(0.01)
        return self.status or 0


def connect(address: tuple[str, int], program: Program | None) -> socket.socket | None:
    """Retry until somebody listens; None if the program ended first. The caller sets the time limit."""
    while program is None or not program.has_ended():
        try:
            connection = socket.create_connection(address, CONNECT_SECONDS)
        except OSError:
            time.sleep(RETRY_SECONDS)
        else:
            connection.settimeout(None)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
    return None


def pass_on(connection: socket.socket) -> None:
    """Pass bytes both ways until the agent has sent everything."""
    reads = [0, connection.fileno()]
    while True:
        ready = select.select(reads, [], [])[0]
        if connection.fileno() in ready and not copy(connection.fileno(), 1):
            complain("The agent closed the connection.")
            return
        if 0 in ready:
            with suppress(OSError):  # it may be gone; its last output still has to be read
                if not copy(0, connection.fileno()):
                    reads.remove(0)
                    connection.shutdown(socket.SHUT_WR)


def copy(source: int, target: int) -> bool:
    """Copy the available data; False at the end."""
    try:
        data = os.read(source, PIECE_BYTES)
    except ConnectionError:
        data = b""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(target, rest) :]
    return bool(data)


def leave(status: int) -> NoReturn:
    """Exit the same way it did."""
    if os.WIFSIGNALED(status):
        with suppress(OSError, ValueError):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


def complain(text: str) -> None:
    with suppress(OSError):
        os.write(2, f"{text}\n".encode())
