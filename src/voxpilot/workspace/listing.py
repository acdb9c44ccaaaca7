"""Which files of a folder count: all but those that its ignore files name.

Lives here: the list, by git where git keeps the folder, else by reading
.gitignore files as we walk. Links are listed and never followed. Lives
elsewhere: patterns (globs.py), reading files (files.py).
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from voxpilot.workspace.git import git, is_repository
from voxpilot.workspace.globs import IgnoreFile

MOST_FILES = 50_000
WALK_SECONDS = 10.0
_LARGEST_IGNORE_FILE = 100_000
_MOST_BYTES = 16_000_000
_NEVER = frozenset({".git", ".hg", ".svn"})


@dataclass(frozen=True, slots=True)
class Listing:
    paths: tuple[str, ...]
    """Relative to the folder, in order."""
    is_cut: bool = False
    """There are more."""


async def visible_files(folder: str) -> Listing:
    """All files below a folder that count."""
    if await is_repository(folder):
        return await _by_git(folder)
    return await asyncio.to_thread(_by_walking, folder)


async def ignored(root: str, names: Sequence[tuple[str, bool]]) -> set[str]:
    """Those of these paths below a root that its ignore files name; with each, whether it is a folder."""
    if await is_repository(root):
        asked = b"\0".join(os.fsencode(path + ("/" if is_folder else "")) for path, is_folder in names)
        ran = await git(root, "check-ignore", "-z", "--stdin", given=asked)
        return {os.fsdecode(path).rstrip("/") for path in ran.out.split(b"\0") if path}
    rules = _Rules(root)
    return {path for path, is_folder in names if rules.ignore(path, is_folder)}


async def _by_git(folder: str) -> Listing:
    args = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    ran = await git(folder, *args, limit_bytes=_MOST_BYTES)
    *whole, _ = ran.out.split(b"\0")
    paths = sorted(os.fsdecode(path) for path in whole)
    return Listing(tuple(paths[:MOST_FILES]), ran.is_cut or ran.is_late or len(paths) > MOST_FILES)


def _by_walking(folder: str) -> Listing:
    paths: list[str] = []
    ends = time.monotonic() + WALK_SECONDS
    for path in _walk(folder, _Rules(folder)):
        if len(paths) >= MOST_FILES or time.monotonic() > ends:
            return Listing(tuple(sorted(paths)), is_cut=True)
        paths.append(path)
    return Listing(tuple(sorted(paths)))


def _walk(folder: str, rules: _Rules) -> Iterator[str]:
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        try:
            with os.scandir(os.path.join(folder, inner)) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in found:
            path = f"{inner}/{entry.name}" if inner else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name in _NEVER or rules.ignore(path, is_folder):
                continue
            if is_folder:
                waiting.append(path)
            else:
                yield path


class _Rules:
    """The ignore files from a root down, each read when it is first needed."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._files: dict[str, IgnoreFile] = {}

    def ignore(self, path: str, is_folder: bool) -> bool:
        """Whether a path is ignored. Of a path whose folder is ignored nobody asks while walking."""
        names = path.split("/")
        for depth in range(len(names) - 1, -1, -1):
            above, below = "/".join(names[:depth]), "/".join(names[depth:])
            if (verdict := self._file(above).verdict(below, is_folder)) is not None:
                return verdict
        return False

    def _file(self, inner: str) -> IgnoreFile:
        if inner not in self._files:
            self._files[inner] = IgnoreFile(_text(os.path.join(self._root, inner, ".gitignore")))
        return self._files[inner]


def _text(path: str) -> str:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(file, "rb") as opened:
            return opened.read(_LARGEST_IGNORE_FILE).decode(errors="replace")
    except OSError:
        return ""
