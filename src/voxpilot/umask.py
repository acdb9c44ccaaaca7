"""Who else may read the files created here.

Lives here: the server's own umask, which makes everything it stores private, and the person's, for files
created on their behalf. Lives elsewhere: creating them (storage, keeper, workspace).
"""

from __future__ import annotations

import os

_PRIVATE = 0o077
_HOLDS = -1
"""Not changed: `subprocess` uses the same value for that."""
_persons = _HOLDS


def make_private() -> None:
    """From now on this process creates private files. The previous umask is the person's choice."""
    global _persons
    before = os.umask(_PRIVATE)
    if _persons == _HOLDS:
        _persons = before & 0o077  # the owner keeps all permissions


def persons() -> int:
    """The umask for a program that works for the person; -1 if it is ours."""
    return _persons


def for_person(mode: int) -> int | None:
    """The mode for a new file or folder of the person, or None if it gets that mode anyway."""
    return None if _persons == _HOLDS else mode & ~_persons
