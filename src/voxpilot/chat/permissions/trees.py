"""What is below a folder: a command that takes a whole tree is judged by everything in it.

Lives here: listing a tree on disk, up to a limit and without following links, what files such as `.gitignore`
leave out of it or bring back, and the repository that git uses in a folder. Lives elsewhere: which names
matter (control_files.py), what follows from them (decide.py).
"""

from __future__ import annotations

import fnmatch
import os
import re
import stat
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
    has_rules = skipped in ("hidden", "ignored")
    folders = [(folder, rules_above(folder) if has_rules else Rules())]
    while folders:
        parent, rules = folders.pop()
        try:
            with os.scandir(parent) as entries:
                inside = list(islice(entries, MOST_ENTRIES + 1))
            if has_rules:
                rules = rules.and_those_in(
                    parent, (e.name for e in inside if e.name.casefold() in IGNORE_FILES)
                )
            for entry in inside:
                if _is_skipped(entry, parent, rules, skipped):
                    continue
                if len(found) == MOST_ENTRIES:
                    return None
                found.append(Entry(f"{os.path.basename(parent)}/{entry.name}", entry.is_symlink()))
                if entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, rules))
        except OSError:
            return None
        if len(inside) > MOST_ENTRIES:
            return None
    return found


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


# Only plain patterns leave something out, and anything that might bring a file back does.


@dataclass(frozen=True, slots=True)
class Rules:
    """What the ignore files that apply to a folder say."""

    left_out: tuple[tuple[re.Pattern[str], str], ...] = ()
    """For names with a slash after those of folders, each with the one folder it is for, or nothing."""
    brought_back: tuple[re.Pattern[str], ...] = ()
    """For names in lower case: a part of any pattern that begins with `!`."""

    def leave_out(self, parent: str, name: str, is_folder: bool) -> bool:
        shown = f"{name}/" if is_folder else name
        return not self.bring_back(name) and any(
            pattern.fullmatch(shown) for pattern, only_in in self.left_out if only_in in ("", parent)
        )

    def bring_back(self, name: str) -> bool:
        return any(pattern.fullmatch(name.casefold()) for pattern in self.brought_back)

    def and_those_in(self, folder: str, names: Iterable[str]) -> Rules:
        """With the rules of a folder's own files."""
        left_out, brought_back = self.left_out, self.brought_back
        for name in names:
            lines = _lines(os.path.join(folder, name))
            if name == ".gitignore":
                left_out += _left_out([line for line in lines if line[0] not in "#!"], folder)
            brought_back += _brought_back([line[1:] for line in lines if line[0] == "!"])
        return Rules(left_out, brought_back)


def rules_above(folder: str) -> Rules:
    """The rules that apply to a folder because of the folders it is in."""
    rules, is_repository = Rules(), os.path.lexists(os.path.join(folder, ".git"))
    while folder != (parent := os.path.dirname(folder)):
        outer = Rules().and_those_in(parent, (*sorted(IGNORE_FILES), ".git/info/exclude"))
        # Git reads its files only up to the top of the repository.
        left_out = () if is_repository else outer.left_out
        rules = Rules(rules.left_out + left_out, rules.brought_back + outer.brought_back)
        is_repository |= os.path.lexists(os.path.join(parent, ".git"))
        folder = parent
    return rules if is_repository else Rules((), rules.brought_back)


def _lines(path: str) -> list[str]:
    """The lines of a file; one that cannot be read brings back everything."""
    try:
        with open(os.open(path, _TO_READ), "rb") as file:
            is_plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read(LARGEST_IGNORE_FILE + 1) if is_plain else b""
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        return ["!*"]
    if not is_plain or len(data) > LARGEST_IGNORE_FILE:
        return ["!*"]
    text = data.decode("utf-8-sig", errors="replace")
    return [line for each in text.split("\n") if (line := each.rstrip(" \r"))]


def _left_out(lines: list[str], folder: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    anywhere: list[str] = []
    here: list[str] = []
    for line in lines:
        name = line.removeprefix("**/").removesuffix("/")
        if "/" in name[1:] or set("\\[{") & set(line):
            continue  # not plain
        wanted = fnmatch.translate(f"{name.lstrip('/')}/")
        found = [wanted] if line.endswith("/") else [wanted, fnmatch.translate(name.lstrip("/"))]
        (here if name.startswith("/") else anywhere).extend(found)
    kinds = ((anywhere, ""), (here, folder))
    return tuple((re.compile("|".join(found)), only_in) for found, only_in in kinds if found)


def _brought_back(lines: list[str]) -> tuple[re.Pattern[str], ...]:
    parts = set()
    for line in lines:
        is_plain = not set("[{") & set(line)
        plain = line.replace("\\", "").casefold().removeprefix("/").removeprefix("**/")
        parts |= set(plain.split("/")) - {""} if is_plain else {"*"}
    return (re.compile("|".join(map(fnmatch.translate, sorted(parts)))),) if parts else ()
