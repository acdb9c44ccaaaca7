"""The data directory: private, and held by one server at a time.

Lives here: creating it, locking it, and finding out who holds it. Lives elsewhere:
its contents (database/sqlite.py, keeper/), which process a server is (server_process.py).
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from voxpilot.errors import VoxPilotError
from voxpilot.storage.database.trouble import is_in_place
from voxpilot.storage.directory import private
from voxpilot.storage.directory.server_process import is_running, this_process

_MARK = "server.lock"
_TRIES = 20
_CANNOT_LOCK = (errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.EBADF)
"""What a file system says that has no such locks; for a network file system a directory is a bad file."""


class AlreadyRunning(VoxPilotError):
    """Another server holds the data directory."""

    code = "already-running"


class BadDataDir(VoxPilotError):
    """The data directory cannot be used."""

    code = "bad-data-dir"


def prepare(data_dir: Path) -> None:
    """Create the directory, or make it private; raises BadDataDir if we must not use it."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        objection = private.objection(data_dir)
        if objection is None and private.is_open(data_dir):
            data_dir.chmod(0o700)
            objection = private.objection(data_dir)  # until now others could create files there
    except OSError as error:
        raise _unusable(data_dir, error) from error
    if objection is not None:
        raise BadDataDir(
            f"The data directory cannot be used: {objection}",
            "Fix that, or set VOXPILOT_DATA_DIR to use another directory.",
        )
    if not os.access(data_dir, os.W_OK | os.X_OK):
        raise BadDataDir(
            f"The data directory {data_dir} is read-only.", "Set VOXPILOT_DATA_DIR to use another directory."
        )


@contextmanager
def held(data_dir: Path) -> Iterator[ServerMark]:
    """Hold the directory for a server within the block. The lock of a dead server blocks nobody.

    The lock is on the directory itself: files in it can be deleted, and then a second server could start.
    """
    with _locked_folder(data_dir) as folder:
        mark = ServerMark(data_dir, folder)
        try:
            yield mark
        finally:
            mark.close()


@contextmanager
def alone(data_dir: Path) -> Iterator[None]:
    """Make sure that no server uses the directory within the block, without changing anything in it."""
    with _locked_folder(data_dir), ExitStack() as at_end:
        try:
            file = os.open(data_dir / _MARK, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise _unusable(data_dir, error) from error
        else:
            at_end.callback(os.close, file)
            # Shared, so that nobody mistakes us for the server that the file may still describe.
            if not _lock(file, data_dir, fcntl.LOCK_SH, may_lack=True):
                raise _already_running(data_dir)
        yield


@contextmanager
def _locked_folder(data_dir: Path) -> Iterator[int]:
    folder = _opened(data_dir, os.O_RDONLY | os.O_DIRECTORY, data_dir)
    try:
        # Some file systems cannot lock a directory; then the lock file has to be enough.
        if not _lock(folder, data_dir, fcntl.LOCK_EX, may_lack=True):
            raise _already_running(data_dir)
        yield folder
    finally:
        os.close(folder)


def is_inside(path: Path, data_dir: Path) -> bool:
    """Whether a path, which need not exist, is the directory or in it: by any name, also through links."""
    resolved = Path(os.path.realpath(path))
    return any(_is_folder(parent, data_dir) for parent in (resolved, *resolved.parents))


def _is_folder(path: Path, data_dir: Path) -> bool:
    try:
        return os.path.samefile(path, data_dir)
    except OSError:
        return False


class ServerMark:
    """What a running server writes about itself to `server.lock`."""

    def __init__(self, data_dir: Path, folder: int) -> None:
        self._data_dir, self._folder = data_dir, os.fstat(folder)
        self._facts: dict[str, Any] = {}
        self._fd = self._new_file()

    def tell(self, **facts: Any) -> None:
        self._facts = facts
        self._write(self._fd)

    def is_at_home(self) -> bool:
        """Whether the directory with this name is the one we hold; rewrites the mark if it was deleted."""
        if not is_in_place(self._data_dir, self._folder):
            return False
        if not is_in_place(self._data_dir / _MARK, os.fstat(self._fd)):
            with suppress(OSError, VoxPilotError):
                new = (
                    self._new_file()
                )  # if this fails, the old file stays open, and the next look tries again
                os.close(self._fd)
                self._fd = new
        return True

    def close(self) -> None:
        with suppress(OSError):
            os.ftruncate(self._fd, 0)
        os.close(self._fd)

    def _new_file(self) -> int:
        file = _opened(self._data_dir / _MARK, os.O_RDWR | os.O_CREAT, self._data_dir)
        try:
            if not _lock(
                file, self._data_dir, fcntl.LOCK_EX
            ):  # by an older server that locked only this file
                raise _already_running(self._data_dir)
            self._write(file)
        except BaseException:
            os.close(file)
            raise
        return file

    def _write(self, file: int) -> None:
        try:
            os.ftruncate(file, 0)
            os.pwrite(file, json.dumps(this_process() | self._facts).encode(), 0)
        except OSError as error:
            raise _unusable(self._data_dir, error) from error


def running_server(data_dir: Path) -> dict[str, Any] | None:
    """The data of the server that holds the directory, or None if nobody does.

    It is empty if another command holds the directory, or a server that has not written anything yet. The
    file of a server that was killed stays, so what it says is believed only while it is locked, and only if
    that process can still be running.
    """
    try:
        told = _if_locked(data_dir / _MARK, _read)
        if told is None:
            return _if_locked(data_dir, lambda _: {})
    except OSError as error:
        raise _unusable(data_dir, error) from error
    return told if is_running(told) else {}


def _if_locked(path: Path, read: Callable[[int], dict[str, Any]]) -> dict[str, Any] | None:
    """What `read` finds in a file or directory that somebody else has locked; otherwise None."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return read(file)
    except OSError as error:
        if error.errno not in _CANNOT_LOCK:
            raise
    finally:
        os.close(file)
    return None


def _opened(path: Path, flags: int, data_dir: Path) -> int:
    try:
        return os.open(path, flags | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable(data_dir, error) from error


def _already_running(data_dir: Path) -> AlreadyRunning:
    told = running_server(data_dir)
    if not told:
        return AlreadyRunning(
            f"A server or another command is already running on {data_dir}.",
            "Wait until it has finished, or stop a server with `voxpilot stop`.",
        )
    return AlreadyRunning(
        f"A server is already running on {data_dir}, pid {told['pid']}.",
        "Use that one, or stop it with `voxpilot stop`.",
    )


def _unusable(data_dir: Path, error: OSError) -> BadDataDir:
    return BadDataDir(
        f"The data directory {data_dir} cannot be used: {error.strerror}.",
        "Nothing was changed. Set VOXPILOT_DATA_DIR to use another directory.",
    )


def _lock(fd: int, data_dir: Path, kind: int, may_lack: bool = False) -> bool:
    """Take the lock; `running_server` may hold it for a moment while it checks.

    Only a file system that has no such locks may do without: any other error says nothing about who holds it.
    """
    for _ in range(_TRIES):
        try:
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.01)
        except OSError as error:
            if may_lack and error.errno in _CANNOT_LOCK:
                return True
            raise BadDataDir(
                f"The data directory {data_dir} cannot be locked: {error.strerror}.",
                "Nothing was changed. Check the disk, or set VOXPILOT_DATA_DIR to use another directory.",
            ) from error
        else:
            return True
    return False


def _read(fd: int) -> dict[str, Any]:
    try:
        told = json.loads(os.pread(fd, 4096, 0) or b"{}")
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
