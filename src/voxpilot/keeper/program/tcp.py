"""An agent that listens on a socket, made to look like one that reads stdin and prints to stdout.

Lives here: a process between the two. It starts the agent's program if there is one, connects as soon as
somebody listens, passes bytes both ways, and ends as the agent does.
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

from .processes import CHANGED_SIGNALS, NotStarted, become, send_signal, spawn, told_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

RETRY_SECONDS = 0.05
CONNECT_SECONDS = 5.0
LEAVE_SECONDS = 1.0
"""How long the program may take to leave after the connection closed, and after SIGTERM."""
PIECE_BYTES = 64 << 10


def start(
    address: tuple[str, int], argv: list[str], env: dict[str, str], cwd: str, umask: int
) -> tuple[int, int, int, int]:
    """Run the process in between: its pid, and our ends of its stdin, stdout and stderr."""
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
    """Be the agent until it goes. Runs in a fork of the keeper."""
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
    """Let go of all that is the keeper's: its lock above all must be free when the keeper is gone."""
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
    """What is started so that somebody listens. It has nothing to read, and what it prints is for people."""

    def __init__(self, argv: list[str], env: dict[str, str], cwd: str, umask: int) -> None:
        nothing = os.open(os.devnull, os.O_RDONLY)
        told, tell = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            become(argv, env, cwd, umask, (nothing, 2, 2), tell)
        os.close(nothing)
        os.close(tell)
        self.status: int | None = None
        told_of(told, self.pid)

    def has_ended(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if pid else None
        return self.status is not None

    def end(self) -> int:
        """Its exit status, once it is gone: by itself, asked to, or made to."""
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
    """Try until somebody listens; None if the program ended before. Whoever waits for us sets the limit."""
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
    """Pass bytes both ways until the agent has said all."""
    reads = [0, connection.fileno()]
    while True:
        ready = select.select(reads, [], [])[0]
        if connection.fileno() in ready and not copy(connection.fileno(), 1):
            complain("The connection to the agent was closed.")
            return
        if 0 in ready:
            with suppress(OSError):  # it may have gone; what it said last is still to be read
                if not copy(0, connection.fileno()):
                    reads.remove(0)
                    connection.shutdown(socket.SHUT_WR)


def copy(source: int, target: int) -> bool:
    """Copy what is there; False at the end."""
    try:
        data = os.read(source, PIECE_BYTES)
    except ConnectionError:
        data = b""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(target, rest) :]
    return bool(data)


def leave(status: int) -> NoReturn:
    """End the way it did."""
    if os.WIFSIGNALED(status):
        with suppress(OSError, ValueError):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


def complain(text: str) -> None:
    with suppress(OSError):
        os.write(2, f"{text}\n".encode())
