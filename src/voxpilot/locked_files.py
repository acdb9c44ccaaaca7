"""Files that this process must not open a second time: those that SQLite has locked.

When a process closes any descriptor of a file, the system releases all its locks on that file (POSIX).
Another program would then believe that nobody uses the database, and delete its log while we write to it.

Lives here: which files these are, refusing to open them, and a descriptor for those who have to read one.
Lives elsewhere: the connections (storage/database/sqlite.py).
"""

from __future__ import annotations

import errno
import os

_held: dict[str, int] = {}
"""The databases that are in use, each with a descriptor that stays open as long as its locks are needed."""
_users: list[str] = []


def hold(database: str) -> int:
    """From now on the database is in use; returns a descriptor that others may read from but not close."""
    if database not in _held:
        _held[database] = os.open(database, os.O_RDONLY | os.O_CLOEXEC)
    _users.append(database)
    return _held[database]


def release(database: str) -> None:
    """The connections are closed."""
    _users.remove(database)
    if database not in _users:
        os.close(_held.pop(database))


def descriptor(database: str) -> int | None:
    """None if the database is not in use here, so that it may be opened."""
    return _held.get(database)


def refuse(path: str, folder: int | None = None) -> None:
    """Raises PermissionError if the path, perhaps relative to an open folder, leads to one of the files.

    Call it before opening a path that somebody else has chosen.
    """
    if not _held:
        return
    try:
        wanted = os.stat(path, dir_fd=folder)
    except (OSError, ValueError):
        return  # opening it will fail too, and say why
    if any(os.path.samestat(wanted, found) for found in _locked()):
        raise PermissionError(errno.EPERM, "VoxPilot's database cannot be opened", path)


def _locked() -> list[os.stat_result]:
    found = []
    for database, file in tuple(_held.items()):
        found.append(os.fstat(file))
        try:
            found.append(os.stat(f"{database}-shm"))  # most locks are on the index of the log
        except OSError:
            continue
    return found
