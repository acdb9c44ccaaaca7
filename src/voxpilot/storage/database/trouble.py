"""Database problems, explained for a person.

Lives here: the errors of storage, finding out which one an error of SQLite or the system means, and whether a
file was moved or only could not be looked at. Lives elsewhere: errors that other packages raise too
(errors.py), their HTTP status (web/door/errors.py).
"""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from voxpilot import locked_files
from voxpilot.errors import OutOfFiles, OutOfMemory, StorageFull, VoxPilotError, explained

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_FILES = (errno.EMFILE, errno.ENFILE)
_FORBIDDEN = (errno.EROFS, errno.EACCES, errno.EPERM)
_PROBE_BYTES = 4096
_CHUNK_BYTES = 1 << 20
_READ_BYTES = 256 << 20


class StorageFailed(VoxPilotError):
    """The database rejected a statement for another reason."""

    code = "storage-failed"


class StorageBusy(VoxPilotError):
    """Another program has locked the database; nothing was saved."""

    code = "storage-busy"
    is_momentary = True

    def __init__(self) -> None:
        super().__init__(
            "The database is busy.",
            "Another program is using it, perhaps an SQLite tool. Work resumes when it is done.",
        )


class DiskFailed(VoxPilotError):
    """The disk reported an error; nothing was saved."""

    code = "disk-failed"
    is_momentary = True

    def __init__(self) -> None:
        super().__init__(
            "The database cannot be read or written because of a disk error.",
            "Check the disk and its cables or mount. Saved data is safe; work resumes when the "
            "disk responds again.",
        )


class StorageReadOnly(VoxPilotError):
    """The database is read-only; nothing was saved."""

    code = "storage-read-only"
    is_momentary = True

    def __init__(self) -> None:
        super().__init__(
            "The data directory cannot be written to.",
            "Its disk may be mounted read-only, or its permissions may have changed. Work resumes when it is "
            "writable again.",
        )


class StorageDamaged(VoxPilotError):
    """The file is damaged."""

    code = "storage-damaged"

    def __init__(self, message: str = "The database is damaged.") -> None:
        super().__init__(
            message,
            "Nothing was changed. Stop the server with `voxpilot stop`, then run `voxpilot rescue`: it saves "
            "what can be read into a new data directory.",
        )


def explain(error: Exception, path: Path) -> VoxPilotError:
    """Translates an error that occurred while using the database at `path`."""
    if (known := explained(error)).is_momentary or isinstance(error, VoxPilotError):
        return known
    if isinstance(error, OSError):
        return _by_errno(error.errno) or DiskFailed()
    code = getattr(error, "sqlite_errorcode", None)
    match None if code is None else code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return StorageFull()
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return StorageBusy()
        case sqlite3.SQLITE_NOMEM:
            return OutOfMemory()
        case sqlite3.SQLITE_IOERR:
            return _by_errno(_probe(path)) or DiskFailed()
        case sqlite3.SQLITE_CANTOPEN:
            return _by_errno(_probe(path)) or OutOfFiles()
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return StorageReadOnly()
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return _by_errno(_read_through(path)) or StorageDamaged()
    return StorageFailed(f"A database statement failed: {error}.", "See the server log.")


def is_in_place(path: Path, opened: os.stat_result) -> bool:
    """Whether the name still belongs to the file that was opened under it.

    A look that fails, for example because of a disk error, says nothing: the next one will tell.
    """
    try:
        return os.path.samestat(opened, os.stat(path))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def _by_errno(number: int | None) -> VoxPilotError | None:
    if number in _FULL:
        return StorageFull()
    if number in _NO_FILES:
        return OutOfFiles()
    if number in _FORBIDDEN:
        return StorageReadOnly()
    return DiskFailed() if number is not None else None


def _probe(path: Path) -> int | None:
    """SQLite does not say why the system refused, so ask the system; None if there is no problem any more."""
    target = path.with_name(f"{path.name}-probe")
    try:
        file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(file, bytes(_PROBE_BYTES), 0)
            os.fsync(file)
        finally:
            os.close(file)
    except OSError as error:
        return error.errno
    finally:
        with suppress(OSError):
            target.unlink(missing_ok=True)
    return None


def _read_through(path: Path) -> int | None:
    """SQLite reports an unreadable disk as a damaged file; None if the whole file can be read."""
    held = locked_files.descriptor(str(path))
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC) if held is None else held
        try:
            for start in range(0, _READ_BYTES, _CHUNK_BYTES):
                if not os.pread(file, _CHUNK_BYTES, start):
                    break
        finally:
            if held is None:  # closing it would otherwise release SQLite's locks
                os.close(file)
    except OSError as error:
        return error.errno
    return None
