"""Where programs are looked for: in absolute folders of PATH, and nowhere else.

Lives here: the PATH that every child gets, and finding a program in it. An empty or relative entry of PATH
means "the current folder", which may be somebody else's. A folder whose disk does not respond is left out,
because looking there would hang. Lives elsewhere: the first rule in the keeper, which imports nothing of ours
(keeper/program/processes.py).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, MutableMapping, Sequence
from functools import partial
from typing import TypeVar

from voxpilot.threads import glance

T = TypeVar("T")
LOOK_SECONDS = 1.0
"""How long the disk of one folder, or of one program, may take to answer."""


def absolute(path: str | None) -> str:
    """A PATH without its empty and relative entries; the system's default if none are left."""
    folders = [folder for folder in (path or "").split(os.pathsep) if folder.startswith("/")]
    return os.pathsep.join(dict.fromkeys(folders)) or os.defpath


def make_absolute(environ: MutableMapping[str, str]) -> None:
    """From now on every child that inherits this environment has such a PATH."""
    environ["PATH"] = absolute(environ.get("PATH"))


def answering(path: str | None) -> str:
    """A PATH without the folders whose disk does not answer now. Blocks for a moment."""
    missing = silent(path)
    return os.pathsep.join(folder for folder in absolute(path).split(os.pathsep) if folder not in missing)


def silent(path: str | None) -> list[str]:
    """Folders of a PATH whose disk does not answer now. Blocks for a moment."""
    return [folder for folder in absolute(path).split(os.pathsep) if not _answers(folder)]


def find_program(name: str, path: str | None, never_in: Sequence[str] = ()) -> str | None:
    """Where a program is. A name with a slash must be an absolute path. Blocks for a moment.

    `never_in` names folders whose programs are not used, even through links.
    """
    if "/" in name:
        return _look(name, lambda: shutil.which(name), None) if name.startswith("/") else None
    for folder in absolute(path).split(os.pathsep):
        look = partial(_found_in, folder, name, never_in)
        if _answers(folder) and (found := _look(os.path.join(folder, name), look, None)):
            return found
    return None


def _found_in(folder: str, name: str, never_in: Sequence[str]) -> str | None:
    found = shutil.which(name, path=folder)
    is_avoided = found and any(_lies_in(place, avoided) for place in (folder, found) for avoided in never_in)
    return None if is_avoided else found


def _answers(folder: str) -> bool:
    """Whether the disk responds at all, even if only to say that there is no such folder."""
    return _look(folder, lambda: os.path.exists(folder) or True, False)


def _look(path: str, work: Callable[[], T], otherwise: T) -> T:
    return glance(path, work, otherwise, LOOK_SECONDS, place=f"PATH {path}")


def _lies_in(path: str, folder: str) -> bool:
    base = os.path.realpath(folder).rstrip("/")
    return f"{os.path.realpath(path)}/".startswith(f"{base}/")
