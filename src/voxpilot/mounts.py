"""Which disks a path leads through, found without waiting for a disk that does not respond.

Lives here: the table of mounted disks, and the way to a path with its links. Lives elsewhere: looking at
paths (threads.py).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress

_TABLE = "/proc/self/mountinfo"
_MOST_LINKS = 40
"""As many as the kernel follows."""
_LONGEST = 4096
"""No path is longer."""
_SHARED_PARTS = 3
"""Without a table, paths that share this many leading parts are probably on the same disk."""


def disks_on_the_way(path: str) -> Iterator[str]:
    """The disks that a path leads through, links followed, except the one that is mounted at `/`.

    Each is named before anything on it is touched. Use it in a thread: it touches those named before.
    """
    disks = _mounted()
    if not disks:
        yield "/".join(path.split("/")[: _SHARED_PARTS + 1])
        return
    root = last = _disk_of("/", disks)
    for place in _steps_to(path):
        if (disk := _disk_of(place, disks)) not in (last, root):
            yield disk
        last = disk


def _steps_to(path: str) -> Iterator[str]:
    """Every folder and link on the way; each is looked at only after it was named."""
    here, ahead, links = "/", path[:_LONGEST].split("/")[::-1], 0
    while ahead and links <= _MOST_LINKS:
        part = ahead.pop()
        if part == "..":
            here = os.path.dirname(here)
        elif part not in ("", "."):
            there = os.path.join(here, part)
            yield there
            if (target := _target(there)) is None:
                here = there
            else:
                links += 1
                here = "/" if target.startswith("/") else here
                ahead += target.split("/")[::-1]


def _target(path: str) -> str | None:
    """Where a link leads; None for everything else."""
    with suppress(OSError, ValueError):
        return os.readlink(path)
    return None


def _disk_of(path: str, disks: dict[str, str]) -> str:
    while path not in disks and path != "/":
        path = os.path.dirname(path)
    return disks.get(path, "/")


def _mounted() -> dict[str, str]:
    """The disk that is mounted at each folder; two mounts of one disk have the same name."""
    with suppress(OSError), open(_TABLE, encoding="utf-8", errors="surrogateescape") as table:
        lines = [line.split(" ", 5) for line in table]
        return {_unescaped(line[4]): line[2] for line in lines if len(line) > 5}
    return {}


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), text)
