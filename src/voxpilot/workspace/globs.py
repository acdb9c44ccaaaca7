"""Patterns for paths, as `src/**/*.py`, and what .gitignore files say.

Lives here: matching that takes no longer than pattern times path, whoever wrote
the pattern: both come from folders and models we know nothing of. Lives
elsewhere: walking folders (listing.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache

LONGEST_PATTERN = 400
MOST_ALTERNATIVES = 64
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


class Glob:
    """`*` within a name, `**` across folders, `?`, `[a-z]`, `{a,b}`. Without `/` it is for any depth."""

    def __init__(self, pattern: str) -> None:
        self._ways = [_anchored(one) for one in _alternatives(pattern[:LONGEST_PATTERN])]

    def matches(self, path: str) -> bool:
        names = path.split("/")
        return any(_match(way, names) for way in self._ways)


@dataclass(frozen=True, slots=True)
class _Rule:
    way: tuple[str, ...]
    is_exception: bool
    only_folders: bool


class IgnoreFile:
    """One .gitignore. Later lines count more."""

    def __init__(self, text: str) -> None:
        self._rules = [rule for line in text.splitlines()[:2000] if (rule := _rule(line)) is not None]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether a path below its folder is ignored; None if no line speaks of it."""
        names = path.split("/")
        for rule in reversed(self._rules):
            if (is_folder or not rule.only_folders) and _match(rule.way, names):
                return not rule.is_exception
        return None


def _rule(line: str) -> _Rule | None:
    line = line.rstrip()
    if not line or line.startswith("#") or len(line) > LONGEST_PATTERN:
        return None
    is_exception = line.startswith("!")
    line = line.removeprefix("!").removeprefix("\\")
    bare = line.rstrip("/")
    return _Rule(_anchored(bare), is_exception, line.endswith("/")) if bare else None


def _anchored(pattern: str) -> tuple[str, ...]:
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if "/" not in pattern:
        names.insert(0, "**")
    return tuple(
        name for place, name in enumerate(names) if name != "**" or names[place - 1 : place] != ["**"]
    )


def _alternatives(pattern: str) -> list[str]:
    """`a.{b,c}` is `a.b` and `a.c`."""
    waiting = [pattern]
    found: list[str] = []
    while waiting and len(found) + len(waiting) <= MOST_ALTERNATIVES:
        one = waiting.pop()
        if (braces := _BRACES.search(one)) is None:
            found.append(one)
        else:
            parts = braces[1].split(",")
            waiting += [f"{one[: braces.start()]}{part}{one[braces.end() :]}" for part in parts]
    return found


def _match(way: Sequence[str], names: Sequence[str]) -> bool:
    """Go through the names once, keeping every place in the pattern where we may be."""
    places = set(_with_skips(way, [0]))
    for name in names:
        stays = {place for place in places if place < len(way) and way[place] == "**"}
        moves = (place + 1 for place in places if place < len(way) and _is_named(way[place], name))
        places = stays | set(_with_skips(way, [*stays, *moves]))
        if not places:
            return False
    return len(way) in places


def _with_skips(way: Sequence[str], places: Iterable[int]) -> Iterator[int]:
    """These places, and those behind a `**` that stands for nothing."""
    for place in places:
        yield place
        while place < len(way) and way[place] == "**":
            place += 1
            yield place


def _is_named(pattern: str, name: str) -> bool:
    return pattern != "**" and _compiled(pattern).match(name) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))  # which never goes back behind a `*`
