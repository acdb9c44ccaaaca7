"""Finding files by a few letters of their paths, as a person types them.

Lives here: the index of one folder, which is read again in a second thread when it is old, and answering one
question per line of standard input. Lives elsewhere: ranking (ranking.py), ignore files (walking.py),
starting and ending this program (../file_search.py).
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from array import array

from voxpilot.workspace.beneath import open_plain
from voxpilot.workspace.looker.ranking import Names
from voxpilot.workspace.looker.repository import Bases, GitFailed, find
from voxpilot.workspace.looker.walking import Rules, add_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_ENTRIES = 200_000
WALK_SECONDS = 30.0
FIRST_SECONDS = 1.0
"""How long a question waits for the first index; then it is answered from what is there."""
STALE_SECONDS = 5.0
_CALM = 10
"""Reading the folder may take this part of the time."""
_BETWEEN = 0.0005
"""Seconds after which the other thread gets its turn, so that an answer need not wait for a walk."""
_NEVER = frozenset({".git", ".hg", ".svn"})


class Finder:
    """The index of a folder, always as fresh as the last walk."""

    def __init__(self, bases: Bases) -> None:
        self._bases = bases
        self.names = Names([], array("d"), 0.0)
        self.is_complete = False
        self._is_cut = False
        self._walked_at = 0.0
        self._took = 0.0
        self._walking: threading.Thread | None = None
        self._first = threading.Event()

    def refresh(self) -> None:
        """Read the folder again if that was long ago; the first time, wait for it for a moment."""
        age = time.monotonic() - self._walked_at
        is_walking = self._walking is not None and self._walking.is_alive()
        if not is_walking and age > max(STALE_SECONDS, self._took * _CALM):
            self._walking = threading.Thread(target=self._walk, daemon=True)
            self._walking.start()
        if not self._first.is_set():
            self._first.wait(FIRST_SECONDS)

    def _walk(self) -> None:
        began = time.monotonic()
        try:
            paths, times, is_cut = self._read(began + WALK_SECONDS)
            self.names = Names(paths, times, _last_commit(self._bases.root(0)))
            self.is_complete = not is_cut
        except OSError:
            self.is_complete = False
        finally:
            self._walked_at = time.monotonic()
            self._took = self._walked_at - began
            self._first.set()

    def _read(self, ends: float) -> tuple[list[str], array[float], bool]:
        """All paths below the root that are not ignored, with a slash after folders, and their times."""
        root = self._bases.root(0)
        rules = _rules(self._bases, root)
        paths: list[str] = []
        times: array[float] = array("d")
        waiting = [""]
        while waiting:
            here = waiting.pop()
            for name, is_folder, changed_at in _entries(root, here):
                path = f"{here}/{name}" if here else name
                if name in _NEVER or rules.ignore(path, is_folder):
                    continue
                if len(paths) >= MOST_ENTRIES or time.monotonic() > ends:
                    return paths, times, True
                paths.append(f"{path}/" if is_folder else path)
                times.append(0.0 if is_folder else changed_at)
                if is_folder:
                    waiting.append(path)
        return paths, times, False


def main() -> None:
    """Answer until standard input is closed."""
    sys.setswitchinterval(_BETWEEN)
    finder: Finder | None = None
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        if finder is None:
            finder = Finder(Bases(asked["roots"], asked["trusted"]))
            continue
        finder.refresh()
        sys.stdout.write(json.dumps(_answer(finder, asked)) + "\n")
        sys.stdout.flush()


def _answer(finder: Finder, asked: dict[str, Any]) -> dict[str, Any]:
    names = finder.names
    found = names.search(asked["q"], asked["limit"], frozenset(asked["recent"]))
    return {"files": found, "total": len(names.paths), "is_complete": finder.is_complete}


def _entries(root: int, here: str) -> list[tuple[str, bool, float]]:
    try:
        folder = open_plain(root, here or ".", os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return []
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    is_folder = entry.is_dir(follow_symlinks=False)
                    changed_at = 0.0 if is_folder else entry.stat(follow_symlinks=False).st_mtime
                    entry.name.encode()
                except (OSError, UnicodeEncodeError):
                    continue  # gone in the meantime, or a name that cannot be shown
                found.append((entry.name, is_folder, changed_at))
    except OSError:
        pass
    finally:
        os.close(folder)
    return found


def _rules(bases: Bases, root: int) -> Rules:
    rules = Rules(root)
    try:
        repository = find(bases, bases.roots[0])
        add_rules(bases, repository.top, repository.prefix, repository.common, rules)
    except (GitFailed, OSError):
        pass  # no repository: the ignore files alone decide
    return rules


def _last_commit(root: int) -> float:
    """When the repository's head last moved; files changed later are most likely not committed."""
    try:
        return os.stat(".git/logs/HEAD", dir_fd=root, follow_symlinks=False).st_mtime
    except OSError:
        return 0.0
