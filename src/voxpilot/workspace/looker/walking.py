"""Which files of a folder are shown: all except those that its ignore files match.

Lives here: walking a folder from a root down, without following links, and reading `.gitignore` files on the
way. Files that git tracks are shown even if they are ignored. Lives elsewhere: patterns (../globs.py), the
index (work_files.py).
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time

from voxpilot.workspace.beneath import open_plain
from voxpilot.workspace.globs import Glob, IgnoreFile
from voxpilot.workspace.looker.repository import Bases, GitFailed, find, read_small
from voxpilot.workspace.looker.view import View
from voxpilot.workspace.looker.work_files import Descent, is_below, is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MOST_FILES = 50_000
WALK_SECONDS = 10.0
_LARGEST_IGNORE_FILE = 100_000
_NEVER = frozenset({".git", ".hg", ".svn"})


def print_files(bases: Bases, task: dict[str, Any]) -> None:
    """The files below a folder, relative to it, as JSON."""
    paths, is_cut = visible(bases, task)
    sys.stdout.write(json.dumps({"paths": paths, "is_cut": is_cut}))


def visible(bases: Bases, task: dict[str, Any]) -> tuple[list[str], bool]:
    """The files below `inner` in a root, relative to it and in order; and whether there are more."""
    root = bases.root(task["root"])
    inner = "" if task["inner"] == "." else task["inner"]
    rules = Rules(root)
    tracked = _tracked(bases, task, inner, rules)
    ends = time.monotonic() + WALK_SECONDS
    found: set[str] = set()
    is_cut = False
    for path in walk(root, inner, rules, ends):
        if len(found) >= MOST_FILES:
            is_cut = True
            break
        found.add(path)
    is_cut = is_cut or time.monotonic() > ends
    descent = Descent(root)
    found.update(path for path in sorted(tracked - found) if _is_there(descent, path))
    start = len(inner) + 1 if inner else 0
    paths = sorted(path[start:] for path in found)
    if task.get("glob"):
        glob = Glob(task["glob"])
        paths = [path for path in paths if glob.matches(path)]
    return paths[:MOST_FILES], is_cut or len(paths) > MOST_FILES


def walk(root: int, inner: str, rules: Rules, ends: float) -> Iterator[str]:
    """Paths from the root of all files below a folder that are not ignored; links are listed, not followed.

    It stops at the time `ends`, no matter how deep the folders are and what their ignore files say.
    """
    waiting = [inner]
    while waiting:
        here = waiting.pop()
        try:
            folder = open_plain(root, here or ".", os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            continue
        try:
            with os.scandir(folder) as entries:
                found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        finally:
            os.close(folder)
        for name, is_folder in sorted(found):
            path = f"{here}/{name}" if here else name
            if time.monotonic() > ends:
                return
            if name in _NEVER or rules.ignore(path, is_folder):
                continue
            if is_folder:
                waiting.append(path)
            else:
                yield path


class Rules:
    """The ignore files from a root down, each read when it is first needed."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._chains: dict[str, list[tuple[int, IgnoreFile]]] = {}
        self._above: list[tuple[str, IgnoreFile]] = []

    def add_above(self, prefix: str, text: str) -> None:
        """Add a folder's ignore file; `prefix` leads from it to the root, and the nearest is added last."""
        self._above.append((prefix, IgnoreFile(text[:_LARGEST_IGNORE_FILE])))

    def ignore(self, path: str, is_folder: bool) -> bool:
        """Whether a path is ignored. The walk never asks about paths inside an ignored folder."""
        for start, file in self._chain(path.rpartition("/")[0]):
            if (verdict := file.verdict(path[start:], is_folder)) is not None:
                return verdict
        for prefix, file in reversed(self._above):
            if (verdict := file.verdict(f"{prefix}{path}", is_folder)) is not None:
                return verdict
        return False

    def _chain(self, inner: str) -> list[tuple[int, IgnoreFile]]:
        """The ignore files that apply in a folder, nearest first, and where the path from each begins."""
        missing = []
        while inner not in self._chains:
            missing.append(inner)
            if not inner:
                break
            inner = inner.rpartition("/")[0]
        chain = self._chains.get(inner, [])
        for folder in reversed(missing):
            text = read_small(self._root, f"{folder}/.gitignore".lstrip("/"), _LARGEST_IGNORE_FILE)
            mine = [(len(folder) + 1 if folder else 0, file)] if (file := IgnoreFile(text)) else []
            self._chains[folder] = chain = mine + chain if mine else chain
        return chain


def _tracked(bases: Bases, task: dict[str, Any], inner: str, rules: Rules) -> set[str]:
    """What git tracks below a folder; nothing if there is no repository or no git."""
    if not task["git"]:
        return set()
    try:
        repository = find(bases, bases.roots[task["root"]])
        view = View(bases, repository, task["private"], task["git"])
        view.take_index()
        add_rules(bases, repository.top, repository.prefix, repository.common, rules)
        listed = view.list_index("--cached")
    except (GitFailed, OSError):
        return set()
    before = os.fsencode(repository.prefix)
    paths = (os.fsdecode(raw[len(before) :]) for raw in listed.split(b"\0") if raw.startswith(before))
    return {path for path in paths if is_below(path, inner or ".") and is_plain(path)}


def add_rules(bases: Bases, top: str, prefix: str, common: int, rules: Rules) -> None:
    """The repository's ignore rules that are not in files below the root."""
    rules.add_above(prefix, read_small(common, "info/exclude", _LARGEST_IGNORE_FILE))
    if not prefix:
        return
    folder = bases.open(top)
    parts = prefix.rstrip("/").split("/")
    for depth in range(len(parts)):
        text = read_small(folder, "/".join((*parts[:depth], ".gitignore")), _LARGEST_IGNORE_FILE)
        rules.add_above("/".join((*parts[depth:], "")), text)
    os.close(folder)


def _is_there(descent: Descent, path: str) -> bool:
    inner, _, name = path.rpartition("/")
    folder = descent.folder(inner)
    try:
        return folder is not None and not stat.S_ISDIR(
            os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        )
    except OSError:
        return False
