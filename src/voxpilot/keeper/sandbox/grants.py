"""A view as rules of Landlock, where bubblewrap cannot be used.

Lives here: which folders are granted. Landlock grants a folder with everything in it and has no exceptions,
so a folder that contains something hidden is granted entry by entry and cannot be listed. Lives elsewhere:
the system calls (../program/landlock.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from voxpilot.chat.events import Json
from voxpilot.errors import Conflict
from voxpilot.keeper.sandbox.bubblewrap import TEMPORARY
from voxpilot.keeper.sandbox.secrets import is_within
from voxpilot.keeper.sandbox.view import Mark, View

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_TERMINALS = ("ptmx", "pts")
"""Either all of the person's terminals or none: a program that needs its own terminals needs this folder."""

_OTHERWISE = ("/proc", "/dev")


def rules(view: View, is_strict: bool) -> Json:
    found = list(_granted(view, "/", view.marks["/"]))
    return {
        "read": ["/proc", *(path for path, mark in found if mark == "read")],
        "write": [TEMPORARY, *(path for path, mark in found if mark == "write")],
        "devices": [f"/dev/{name}" for name in (*_DEVICES, *(() if is_strict else _TERMINALS))],
    }


def _granted(view: View, path: str, mark: Mark) -> Iterator[tuple[str, Mark]]:
    below = [other for other in view.marks if other != path and is_within(other, path)]
    if mark == "write":
        if any(view.marks[other] in ("empty", "covered") for other in below):
            raise Conflict(
                f"its folder {path} contains files that a sandbox must hide, which requires bubblewrap",
                "Install bubblewrap, or choose a smaller folder.",
            )
        yield path, mark
    elif mark == "read" and all(view.marks[other] == "read" for other in below):
        yield path, mark
    elif mark == "read":
        for name in _entries(path):
            child = os.path.join(path, name)
            if child not in _OTHERWISE and not os.path.islink(child):
                yield from _granted(view, child, view.marks.get(child, "read"))
    else:
        for child in below:
            if not any(other != child and is_within(child, other) for other in below):
                yield from _granted(view, child, view.marks[child])


def _entries(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []
