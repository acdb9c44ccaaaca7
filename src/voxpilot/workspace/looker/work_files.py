"""The files on disk as git would see them: which ones differ from the index, and their contents.

Lives here: reading the index with git, and descending the folder step by step without following links, so
that each file is opened in its real place. Lives elsewhere: diffs (history.py).
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from contextlib import suppress

from voxpilot.workspace.looker.repository import Bases, GitFailed, Repository, find, head_of, read_small
from voxpilot.workspace.looker.view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

LARGEST_FILE = 8_000_000
FILE, PROGRAM, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
_ENTRY = re.compile(
    rb"(\d{6}) ([0-9a-f]+) (\d)\t([^\0]+)\0"
    rb"(?:\s+ctime: \d+:\d+\s+mtime: (\d+):(\d+)\s+dev: \d+\s+ino: \d+\s+uid: \d+\s+gid: \d+"
    rb"\s+size: (\d+)\s+flags: ([0-9a-f]+)\n)?"
)
_ODD_PART = re.compile(r"(?:^|/)(?:\.{0,2}|\.git)(?:/|$)", re.IGNORECASE)
_FOLDER = b"040000"
"""A whole folder that a sparse checkout leaves out."""
_ADDED_LATER, _NOT_WANTED = 1 << 29, 1 << 30
"""Flags of an entry: intent-to-add, skip-worktree."""
State = tuple[str, str]
"""Mode and name of an object."""


class Entry:
    """An entry of the index."""

    __slots__ = ("flags", "hash", "mode", "mtime", "size", "stage")

    def __init__(
        self, mode: str, hash: str, stage: int, mtime: tuple[int, int], size: int, flags: int
    ) -> None:
        self.mode, self.hash, self.stage = mode, hash, stage
        self.mtime, self.size, self.flags = mtime, size, flags

    @property
    def is_placeholder(self) -> bool:
        return bool(self.flags & _ADDED_LATER)


class Descent:
    """Folders below a root, each opened from its parent without following links. One is open per level."""

    def __init__(self, root: int) -> None:
        self._open: list[tuple[str, int]] = [("", root)]
        self._here: str | None = ""

    def folder(self, inner: str) -> int | None:
        """The folder at this path; None if it does not exist or there is a link on the way."""
        if inner == self._here:
            return self._open[-1][1]
        self._here = None
        parts = inner.split("/") if inner else []
        common = 0
        while common < min(len(parts), len(self._open) - 1) and self._open[common + 1][0] == parts[common]:
            common += 1
        while len(self._open) > common + 1:
            os.close(self._open.pop()[1])
        for part in parts[common:]:
            try:
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
                below = os.open(part, flags, dir_fd=self._open[-1][1])
            except OSError:
                return None
            self._open.append((part, below))
        self._here = inner
        return self._open[-1][1]


def read_index(view: View, prefix: str, where: str) -> dict[str, list[Entry]]:
    """The index entries of the files below a prefix, by their paths relative to it."""
    found: dict[str, list[Entry]] = {}
    before = os.fsencode(prefix)
    for raw, entry in _entries(view):
        path = os.fsdecode(raw[len(before) :])
        if raw.startswith(before) and is_below(path, where) and is_plain(path):
            found.setdefault(path, []).append(entry)
    return found


def _entries(view: View) -> Iterator[tuple[bytes, Entry]]:
    listed = view.list_index("--stage", "--debug")
    for mode, name, stage, path, seconds, rest, size, flags in _ENTRY.findall(listed):
        times = (int(seconds or -1), int(rest or 0))
        if mode == _FOLDER:
            for inner, state in files_in(view, name.decode()):
                yield path + inner, Entry(*state, 0, times, 0, _NOT_WANTED)
        else:
            yield (
                path,
                Entry(
                    mode.decode(), name.decode(), int(stage), times, int(size or 0), int(flags or b"0", 16)
                ),
            )


def files_in(view: View, tree: str, *paths: str) -> Iterator[tuple[bytes, State]]:
    """All files in a stored tree, or only those at or below some paths."""
    for line in view.run("ls-tree", "-r", "-z", "--full-tree", tree, "--", *paths).split(b"\0"):
        about, _, path = line.partition(b"\t")
        if path:
            mode, _, name = about.decode().split(" ")
            yield path, (mode, name)


def is_below(path: str, where: str) -> bool:
    return where == "." or path == where or path.startswith(f"{where}/")


def is_plain(path: str) -> bool:
    """Whether a path in an index or a tree is one that a file in the folder can have."""
    return _ODD_PART.search(path) is None


class WorkFiles:
    """The files on disk below a root."""

    def __init__(self, view: View, bases: Bases, repository: Repository, root: int, written: int) -> None:
        self._view, self._bases, self._repository, self._root = view, bases, repository, root
        self._descent = Descent(os.dup(root))
        self._written = written
        settings = repository.settings
        self._has_modes = settings.get("core.filemode", "true").lower() not in ("false", "no", "off", "0")
        self._converts_lines = settings.get("core.autocrlf", "").lower() in (
            "true",
            "yes",
            "on",
            "1",
            "input",
        )
        self.left_out: list[str] = []
        """Files whose contents are not shown, and why."""

    def states(self, index: dict[str, list[Entry]]) -> dict[str, State]:
        """Mode and contents of every tracked file that exists; new contents are stored as objects."""
        self._converts_lines = self._converts_lines or self._names_line_ends()
        found: dict[str, State] = {}
        for path in sorted(index, key=lambda path: path.split("/")):
            entries = index[path]
            ours = next((entry for entry in entries if entry.stage in (0, 2)), entries[0])
            state = self._state(path, ours)
            if state is not None:
                found[path] = state
        return found

    def _state(self, path: str, entry: Entry) -> State | None:
        same = (entry.mode, entry.hash)
        inner, _, name = path.rpartition("/")
        folder = self._descent.folder(inner)
        try:
            about = None if folder is None else os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            about = None
        if folder is None or about is None:
            return same if entry.flags & _NOT_WANTED else None
        if entry.mode == SUBMODULE:
            return self._submodule(path, same) if stat.S_ISDIR(about.st_mode) else None
        if stat.S_ISLNK(about.st_mode):
            return self._link(folder, name, same)
        if not stat.S_ISREG(about.st_mode):
            if not stat.S_ISDIR(about.st_mode):
                self.left_out.append(f"{path} is not a regular file")
            return None
        mode = self._mode(entry, about)
        if mode == entry.mode and self._is_untouched(entry, about):
            return same
        return self._file(folder, name, path, mode, entry)

    def _mode(self, entry: Entry, about: os.stat_result) -> str:
        if not self._has_modes and entry.mode in (FILE, PROGRAM):
            return entry.mode
        return PROGRAM if about.st_mode & 0o100 else FILE

    def _is_untouched(self, entry: Entry, about: os.stat_result) -> bool:
        """As git decides it: the same size and time, and not written at the same moment as the index."""
        seconds, rest = divmod(about.st_mtime_ns, 1_000_000_000)
        is_same = entry.size == about.st_size & 0xFFFFFFFF and entry.mtime in ((seconds, rest), (seconds, 0))
        return is_same and about.st_mtime_ns < self._written and bool(entry.size or not about.st_size)

    def _link(self, folder: int, name: str, same: State) -> State | None:
        try:
            target = os.fsencode(os.readlink(name, dir_fd=folder))
        except OSError:
            return None
        return LINK, self._view.write_object("blob", target)

    def _file(self, folder: int, name: str, path: str, mode: str, entry: Entry) -> State | None:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        try:
            file = os.open(name, flags, dir_fd=folder)
        except OSError as error:
            self.left_out.append(f"{path} cannot be read ({error.strerror})")
            return mode, entry.hash
        with open(file, "rb") as opened:
            about = os.fstat(file)
            if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
                self.left_out.append(f"{path} has several hard links or is not a regular file")
                return mode, entry.hash
            if about.st_size > LARGEST_FILE:
                if self._hash_of_large(opened, about.st_size) != entry.hash:
                    self.left_out.append(f"{path} has changed and is larger than 8 MB")
                return mode, entry.hash
            data = opened.read(LARGEST_FILE + 1)[:LARGEST_FILE]
        return mode, self._view.write_object("blob", self._converted(data, entry))

    def _hash_of_large(self, opened: BinaryIO, size: int) -> str:
        digest = hashlib.new(self._view.hash, f"blob {size}\0".encode(), usedforsecurity=False)
        while data := opened.read(1 << 20):
            digest.update(data)
        return digest.hexdigest()

    def _converted(self, data: bytes, entry: Entry) -> bytes:
        """Line endings as the repository would store them, if it converts CRLF."""
        if not self._converts_lines or b"\r\n" not in data or b"\0" in data:
            return data
        with suppress(GitFailed):
            if b"\r\n" in self._view.run("cat-file", "blob", entry.hash, most=LARGEST_FILE):
                return data
        return data.replace(b"\r\n", b"\n")

    def _names_line_ends(self) -> bool:
        return re.search(r"\b(?:text|eol)\b", read_small(self._root, ".gitattributes")) is not None

    def _submodule(self, path: str, same: State) -> State:
        """The commit that a submodule has checked out; the one in the index if that is unknown."""
        with suppress(GitFailed, OSError):
            place = f"{self._repository.top.rstrip('/')}/{self._repository.prefix}{path}"
            found = find(self._bases, place)
            if found.top == place and (head := head_of(found)):
                return SUBMODULE, head
        return same
