"""Reading a file from a disk that fails in places.

Lives here: the contents of a file, with zeros where they cannot be read. Lives elsewhere: what they mean
(image.py).
"""

from __future__ import annotations

import os
from pathlib import Path

from voxpilot.storage.directory.data_dir import BadDataDir

_PIECE = 1 << 20
_SECTOR = 512
"""The smallest part of a disk that fails alone; every page of a database is a multiple of it."""


def read_through(path: Path) -> bytes:
    """Everything that can be read, each byte at its place; nothing if there is no such file."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise BadDataDir(
            f"{path} cannot be read: {error.strerror}.",
            "Nothing was changed. Check its permissions and the disk.",
        ) from error
    try:
        size = os.fstat(file).st_size
        return b"".join(_piece(file, start, min(_PIECE, size - start)) for start in range(0, size, _PIECE))
    finally:
        os.close(file)


def _piece(file: int, start: int, length: int) -> bytes:
    try:
        found = os.pread(file, length, start)
    except OSError:
        if length <= _SECTOR:
            return bytes(length)
        half = max(_SECTOR, length // 2 // _SECTOR * _SECTOR)
        return _piece(file, start, half) + _piece(file, start + half, length - half)
    return found.ljust(length, b"\0")  # otherwise all that follows would be in the wrong place
