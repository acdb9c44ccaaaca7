"""The data directory: private, and held by one server at a time.

Lives here: making it, locking it, and telling who holds it. Lives elsewhere:
what lies in it (database.py, keeper/).
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from voxpilot.errors import VoxPilotError


class AlreadyRunning(VoxPilotError):
    """Another server holds the data directory."""

    code = "already-running"


class BadDataDir(VoxPilotError):
    """The data directory cannot be used."""

    code = "bad-data-dir"


def prepare(data_dir: Path) -> None:
    """Make the directory, or make it private; raises BadDataDir when it is not ours to use."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if data_dir.stat().st_mode & 0o077:
            data_dir.chmod(0o700)
    except OSError as error:
        raise BadDataDir(
            f"The data directory {data_dir} cannot be used: {error.strerror}.",
            "VOXPILOT_DATA_DIR names another.",
        ) from error
    if not os.access(data_dir, os.W_OK | os.X_OK):
        raise BadDataDir(f"The data directory {data_dir} is read-only.", "VOXPILOT_DATA_DIR names another.")


@contextmanager
def held(data_dir: Path) -> Iterator[ServerMark]:
    """Hold the directory for as long as the block lasts. A dead server's lock holds nobody up."""
    fd = os.open(data_dir / "server.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _lock(fd):
            running = _read(fd)
            raise AlreadyRunning(
                f"A server is already running on {data_dir}, pid {running.get('pid', 'unknown')}.",
                "Use that one, or stop it with `voxpilot stop`.",
            )
        os.set_inheritable(fd, False)
        yield ServerMark(fd)
        os.ftruncate(fd, 0)
    finally:
        os.close(fd)


class ServerMark:
    """What a running server tells about itself."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.tell(pid=os.getpid())

    def tell(self, **facts: Any) -> None:
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, json.dumps(facts).encode(), 0)


def running_server(data_dir: Path) -> dict[str, Any] | None:
    """What the server that holds the directory tells, or None when there is none."""
    try:
        fd = os.open(data_dir / "server.lock", os.O_RDONLY)
    except OSError:
        return None
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _read(fd)
        return None
    finally:
        os.close(fd)


def _lock(fd: int) -> bool:
    """Take the lock; a look at it by `running_server` may hold it for a moment."""
    for _ in range(20):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.01)
        else:
            return True
    return False


def _read(fd: int) -> dict[str, Any]:
    try:
        told = json.loads(os.pread(fd, 4096, 0) or b"{}")
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
