"""What is below a folder: a command that takes a whole tree is judged by everything in it.

Lives here: listing a tree on disk, up to a limit and without following links, what files such as `.gitignore`
leave out of it or bring back, and the repository that git uses in a folder. Lives elsewhere: which names
matter (control_files.py), what follows from them (decide.py).
"""

from __future__ import annotations

import codecs
import errno
import fnmatch
import math
import os
import re
import stat
import string
import time
from collections.abc import Iterable
from itertools import islice
from typing import Literal, NamedTuple

from voxpilot.threads import glance
from voxpilot.values import dataclass

Skipped = Literal["nothing", "git", "hidden", "ignored"]
"""What a program leaves out when it reads a tree: nothing, repositories' own folders, hidden files (except
those that an ignore file brings back), or what git ignores."""
MOST_ENTRIES = 4_000
REPOSITORIES = frozenset({".git", ".hg", ".svn"})
IGNORE_FILES = frozenset({".gitignore", ".ignore", ".rgignore"})
LARGEST_IGNORE_FILE = 64_000
"""In bytes; a larger file might say anything."""
MOST_TO_MATCH = 8_000
"""Characters of all patterns with `*` or `?` in one ignore file; more might take long to compile."""
LONGEST_RULE = 200
_IN_RULES = frozenset(string.ascii_letters + string.digits + " _-.,+=@~#%&():;'!*?/")
LONGEST_LOOK_SECONDS = 1.0
"""Nobody waits for a look that takes longer, so it must end soon."""
_TO_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Entry(NamedTuple):
    name: str
    """With the name of its parent."""
    is_link: bool = False


def below(folder: str, skipped: Skipped) -> list[Entry] | None:
    """Everything below a folder; None if it cannot all be listed.

    A file, or a folder that does not exist, has nothing below it.
    """
    return glance(folder, lambda: _listed(folder, skipped), None)


def repository_of(folder: str) -> str | None:
    """The top of the repository that git finds from a folder, or the folder; None if there is any doubt.

    Git also uses any folder that looks like a `.git` folder, with the settings in it, which can run programs.
    """
    return glance(folder, lambda: _top(folder), None)


def _top(folder: str) -> str | None:
    place = folder
    while not os.path.lexists(os.path.join(place, "HEAD")):
        if os.path.lexists(os.path.join(place, ".git")):
            return place
        if place == (parent := os.path.dirname(place)):
            return folder
        place = parent
    return None


def _listed(folder: str, skipped: Skipped) -> list[Entry] | None:
    if not os.path.isdir(folder) or os.path.islink(folder):
        return []
    found: list[Entry] = []
    ends = time.monotonic() + LONGEST_LOOK_SECONDS
    has_rules = skipped in ("hidden", "ignored")
    folders = [(folder, rules_above(folder, ends) if has_rules else Rules())]
    while folders:
        parent, rules = folders.pop()
        try:
            inside = _inside(parent)
            if has_rules:
                names = (entry.name for entry in inside if entry.name.casefold() in IGNORE_FILES)
                rules = rules.and_those_in(parent, names)
            for entry in inside:
                if len(found) == MOST_ENTRIES or time.monotonic() > ends:
                    return None
                if _is_skipped(entry, parent, rules, skipped):
                    continue
                found.append(Entry(f"{os.path.basename(parent)}/{entry.name}", entry.is_symlink()))
                if entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, rules))
        except OSError:
            return None
    return found


def _inside(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        inside = list(islice(entries, MOST_ENTRIES + 1))
    if len(inside) > MOST_ENTRIES:
        raise OSError(errno.EFBIG, "Too many entries")
    return inside


def _is_skipped(entry: os.DirEntry[str], parent: str, rules: Rules, skipped: Skipped) -> bool:
    match skipped:
        case "nothing":
            return False
        case "hidden":
            return entry.name.startswith(".") and not rules.bring_back(entry.name)
        case "git":
            return entry.name in REPOSITORIES
    is_folder = entry.is_dir(follow_symlinks=False)
    return entry.name in REPOSITORIES or rules.leave_out(parent, entry.name, is_folder)


# Only plain patterns leave something out, and anything that might bring a file back does. Programs differ in
# how they read unusual lines, so a line is plain only if all of its characters are.


@dataclass(frozen=True, slots=True)
class _Names:
    """A set of names, some given as patterns with `*` and `?`."""

    exact: frozenset[str]
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, names: Iterable[str]) -> _Names:
        given = frozenset(names)
        patterns = sorted(name for name in given if set("*?") & set(name))
        joined = "|".join(map(fnmatch.translate, patterns))
        return cls(given.difference(patterns), re.compile(joined) if patterns else None)

    def has(self, name: str) -> bool:
        return name in self.exact or (self.pattern is not None and self.pattern.fullmatch(name) is not None)


@dataclass(frozen=True, slots=True)
class _LeftOut:
    names: _Names
    only_folders: bool
    only_in: str
    """The one folder it is for; empty for all."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the ignore files that apply to a folder say."""

    left_out: tuple[_LeftOut, ...] = ()
    brought_back: tuple[_Names, ...] = ()
    """In lower case: a part of any pattern that begins with `!`."""

    def leave_out(self, parent: str, name: str, is_folder: bool) -> bool:
        # In other names `?` may be one byte or one character.
        return (
            name.isascii()
            and not self.bring_back(name)
            and any(
                each.only_in in ("", parent) and (is_folder or not each.only_folders) and each.names.has(name)
                for each in self.left_out
            )
        )

    def bring_back(self, name: str) -> bool:
        return any(
            names.has(name.casefold()) or (names.pattern is not None and not name.isascii())
            for names in self.brought_back
        )

    def and_those_in(self, folder: str, names: Iterable[str]) -> Rules:
        """With the rules of a folder's own files."""
        left_out, brought_back = self.left_out, self.brought_back
        for name in names:
            lines = _lines(os.path.join(folder, name))
            if name == ".gitignore":
                left_out += _left_out([line for line in lines if line[0] not in "#!"], folder)
            brought_back += _brought_back([line[1:] for line in lines if line[0] == "!"])
        return Rules(left_out, brought_back)


def rules_above(folder: str, ends: float = math.inf) -> Rules:
    """The rules that apply to a folder because of the folders it is in; after the time `ends` it is too late
    to read more."""
    rules, is_repository = Rules(), os.path.lexists(os.path.join(folder, ".git"))
    while folder != (parent := os.path.dirname(folder)) and time.monotonic() < ends:
        outer = Rules().and_those_in(parent, (*sorted(IGNORE_FILES), ".git/info/exclude"))
        # Git reads its files only up to the top of the repository.
        left_out = () if is_repository else outer.left_out
        rules = Rules(rules.left_out + left_out, rules.brought_back + outer.brought_back)
        is_repository |= os.path.lexists(os.path.join(parent, ".git"))
        folder = parent
    return rules if is_repository else Rules((), rules.brought_back)


def _lines(path: str) -> list[str]:
    """The lines of a file; one that cannot be read, or is too much to read, brings back everything."""
    try:
        with open(os.open(path, _TO_READ), "rb") as file:
            is_plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read(LARGEST_IGNORE_FILE + 1) if is_plain else b""
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        return _ANYTHING
    if not is_plain or len(data) > LARGEST_IGNORE_FILE:
        return _ANYTHING
    # Git removes one carriage return and then spaces, nothing else.
    text = os.fsdecode(data.removeprefix(codecs.BOM_UTF8))
    lines = [line for each in text.split("\n") if (line := each.removesuffix("\r").rstrip(" "))]
    to_match = sum(len(line) for line in lines if line[0] != "#" and set("*?") & set(line))
    return lines if to_match <= MOST_TO_MATCH else _ANYTHING


_ANYTHING = ["!*"]


def _is_plain(line: str) -> bool:
    return len(line) <= LONGEST_RULE and _IN_RULES.issuperset(line)


def _left_out(lines: list[str], folder: str) -> tuple[_LeftOut, ...]:
    found: dict[tuple[bool, str], list[str]] = {}
    for line in filter(_is_plain, lines):
        name = line.removeprefix("**/").removesuffix("/")
        if "/" not in name[1:]:
            key = (line.endswith("/"), folder if name.startswith("/") else "")
            found.setdefault(key, []).append(name.lstrip("/"))
    return tuple(_LeftOut(_Names.of(names), *key) for key, names in found.items())


def _brought_back(lines: list[str]) -> tuple[_Names, ...]:
    parts: set[str] = set()
    for line in lines:
        plain = line.replace("\\", "").casefold().removeprefix("/").removeprefix("**/")
        parts |= set(plain.split("/")) - {""} if _is_plain(plain) else {"*"}
    return (_Names.of(parts),) if parts else ()
