"""Who else may read the files that are made here.

Lives here: the server's own mask, under which all that it keeps is private, and the
person's, for what is made for them. Lives elsewhere: where each is made (storage,
keeper, workspace).
"""

from __future__ import annotations

import os

_PRIVATE = 0o077
_HOLDS = -1
"""Nobody changed it: what `subprocess` takes for that, too."""
_persons = _HOLDS


def make_private() -> None:
    """From now on this process makes files for its owner alone. What held before is the person's wish."""
    global _persons
    before = os.umask(_PRIVATE)
    if _persons == _HOLDS:
        _persons = before & 0o077  # the owner keeps what is theirs


def persons() -> int:
    """The mask for a program that works for the person; -1 if that is ours."""
    return _persons


def for_person(mode: int) -> int | None:
    """What a new file or folder of theirs is to have, or None where it has it anyway."""
    return None if _persons == _HOLDS else mode & ~_persons
