"""Only the owner can read the data directory, including files that were created earlier.

Lives here: refusing files that belong to somebody else and links, and removing everybody else's permissions.
Links are never followed. Lives elsewhere: creating the directory (data_dir.py), new files, which are private
from the start (umask.py).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

AGENTS_OWN = "scratch"
"""A folder in which agents work; files they create there keep their modes."""
_OTHERS = 0o077


def objection(data_dir: Path) -> str | None:
    """Why the directory must not be used; None if it may."""
    for path in (data_dir, *_entries(data_dir)):
        try:
            found = path.lstat()
        except FileNotFoundError:
            continue
        if stat.S_ISLNK(found.st_mode):
            return f"{path} is a symbolic link, which VoxPilot does not allow for its data."
        if found.st_uid != os.getuid():
            return f"{path} belongs to user {found.st_uid}, but you are user {os.getuid()}."
    return None


def close_up(data_dir: Path) -> None:
    """Remove everybody else's permissions; ignores a disk that does not support that."""
    for folder, folders, files, handle in os.fwalk(data_dir, follow_symlinks=False):
        if Path(folder) == data_dir and AGENTS_OWN in folders:
            folders.remove(AGENTS_OWN)
        for name in (*folders, *files):
            _close(name, handle)


def is_open(path: Path) -> bool:
    """Whether others may read or write a file."""
    try:
        return bool(path.lstat().st_mode & _OTHERS)
    except FileNotFoundError:
        return False


def _entries(data_dir: Path) -> Iterator[Path]:
    try:
        names = os.listdir(data_dir)
    except FileNotFoundError:
        return
    yield from (data_dir / name for name in names if name != AGENTS_OWN)


def _close(name: str, handle: int) -> None:
    try:
        found = os.stat(name, dir_fd=handle, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode) or not found.st_mode & _OTHERS or found.st_uid != os.getuid():
            return
        os.chmod(name, stat.S_IMODE(found.st_mode) & ~_OTHERS, dir_fd=handle)
    except OSError:
        return  # it is gone, or its disk has no modes; the directory itself is private
