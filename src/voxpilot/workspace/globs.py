"""Patterns for paths, such as `src/**/*.py`, and .gitignore files.

Lives here: matching in time proportional to pattern times path at most, because both come from untrusted
folders and models. Lives elsewhere: walking folders (listing.py).
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LONGEST_PATTERN = 400
MOST_ALTERNATIVES = 64
_MOST_AT_ONCE = 10_000
"""The most characters of patterns in one regular expression, because matching cannot be interrupted."""
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


class Glob:
    """`*` within a name, `**` across folders, `?`, `[a-z]`, `{a,b}`. Without `/` it is for any depth."""

    def __init__(self, pattern: str) -> None:
        self._ways = [_anchored(one) for one in _alternatives(pattern[:LONGEST_PATTERN])]

    def matches(self, path: str) -> bool:
        names = path.split("/")
        return any(_match(way, names) for way in self._ways)


class _Rule:
    __slots__ = ("is_exception", "only_folders", "way")

    def __init__(self, way: tuple[str, ...], is_exception: bool, only_folders: bool) -> None:
        self.way, self.is_exception, self.only_folders = way, is_exception, only_folders


class IgnoreFile:
    """One .gitignore. Later lines override earlier ones."""

    def __init__(self, text: str) -> None:
        self._rules = [rule for line in text.splitlines()[:2000] if (rule := _rule(line)) is not None]
        lasts = {rule.way[-1] for rule in self._rules}
        self._looks_at_all = "**" in lasts or sum(map(len, lasts)) > _MOST_AT_ONCE
        sought = [] if self._looks_at_all else sorted(lasts)
        self._lasts = re.compile("|".join(map(translate, sought)) or r"(?!)")

    def __bool__(self) -> bool:
        return bool(self._rules)

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether a path below its folder is ignored; None if no line matches it."""
        if not self._looks_at_all and self._lasts.match(path[path.rfind("/") + 1 :]) is None:
            return None  # true for most paths: no rule ends with such a name
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
    """Go through the names once, tracking every possible position in the pattern."""
    places = set(_with_skips(way, [0]))
    for name in names:
        stays = {place for place in places if place < len(way) and way[place] == "**"}
        moves = (place + 1 for place in places if place < len(way) and _is_named(way[place], name))
        places = stays | set(_with_skips(way, [*stays, *moves]))
        if not places:
            return False
    return len(way) in places


def _with_skips(way: Sequence[str], places: Iterable[int]) -> Iterator[int]:
    """These positions, and those after a `**` that matches nothing."""
    for place in places:
        yield place
        while place < len(way) and way[place] == "**":
            place += 1
            yield place


def _is_named(pattern: str, name: str) -> bool:
    return pattern != "**" and _compiled(pattern).match(name) is not None


@lru_cache(maxsize=20_000)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))  # it never backtracks past a `*`
