"""The keeper of a directory: whether there is one, and connecting to its socket.

Lives here: checking, connecting, and the errors of a keeper. Lives elsewhere: the messages (attach.py).
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from voxpilot.errors import VoxPilotError

_LONGEST_SOCKET_PATH = 100
_NOBODY = (FileNotFoundError, NotADirectoryError, ConnectionError)
"""Errors that mean that nobody listens, or that there is no socket."""
_TOO_MANY_FILES = (errno.EMFILE, errno.ENFILE)


class KeeperFailed(VoxPilotError):
    """A keeper could not be started, or does not answer."""

    code = "keeper-failed"


class AlreadyKept(KeeperFailed):
    """The directory has a keeper, or had one: an agent is never started twice."""

    code = "already-kept"


class KeeperGone(VoxPilotError):
    """There is no keeper any more; its journal says what happened."""

    code = "keeper-gone"


def is_kept(directory: Path) -> bool:
    """Whether a keeper lives here. Safe to ask at any time, also while one starts."""
    try:
        lock = os.open(directory / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:  # a permission error says nothing about the keeper
        raise _unreachable(error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(lock)


def gone() -> KeeperGone:
    return KeeperGone(
        "The agent's background process has exited.",
        "The agent's output is saved. Send a message to start it again.",
    )


def _unreachable(error: OSError) -> KeeperFailed:
    hint = (
        "Raise the server's limit of open files."
        if error.errno in _TOO_MANY_FILES
        else "Check its directory."
    )
    return KeeperFailed(f"The agent's background process cannot be reached: {error}.", hint)


async def connect(directory: Path) -> socket.socket:
    connection: socket.socket | None = None
    try:
        connection = socket.socket(socket.AF_UNIX)
        connection.setblocking(False)
        with _reachable(directory) as path:
            while True:
                try:
                    connection.connect(path)
                    return connection
                except BlockingIOError:  # its queue of connections is full
                    await asyncio.sleep(0.01)
    except BaseException as error:
        if connection is not None:
            connection.close()
        if isinstance(error, _NOBODY):
            raise gone() from error
        if isinstance(error, OSError):  # a permission error says nothing about the keeper
            raise _unreachable(error) from error
        raise


@contextmanager
def _reachable(directory: Path) -> Iterator[str]:
    """A path to the socket that is short enough for a Unix socket address, valid within the block."""
    path = str(directory / "socket")
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        yield path
    elif os.path.isdir("/proc/self/fd"):
        folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            yield f"/proc/self/fd/{folder}/socket"
        finally:
            os.close(folder)
    else:
        with tempfile.TemporaryDirectory(prefix="vox", dir="/tmp") as short:
            link = Path(short, "k")
            link.symlink_to(directory.absolute(), target_is_directory=True)
            yield str(link / "socket")
