"""Where the git directory of a folder is, and whether we may read it.

Lives here: finding `.git`, following it to its target, and refusing a target that is not beneath the chat's
roots. A git directory elsewhere is used only if a person trusts its location and it belongs to this folder:
the repository that contains the folder, or one that names the folder as its own. Links are never followed.
Lives elsewhere: what is copied from there (view.py).
"""

from __future__ import annotations

import errno
import os
import re
import stat

from voxpilot.errors import VoxPilotError
from voxpilot.workspace.beneath import REPLACED, is_replaced, open_plain, open_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LARGEST_FILE = 1_000_000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_SECTION = re.compile(r"\[\s*([A-Za-z0-9.-]+)\s*\]\s*(.*)")
_OPTION = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")


class GitFailed(VoxPilotError):
    """Git could not answer the request."""

    code = "git-failed"


class NoRepository(GitFailed):
    def __init__(self) -> None:
        super().__init__("This folder is not a git repository.")


class Bases:
    """The folders that may be read: the chat's roots, and those that a person trusts; paths without links."""

    def __init__(self, roots: Sequence[str], trusted: Sequence[str]) -> None:
        self.roots = list(roots)
        self._trusted = list(trusted)

    def root(self, number: int = 0) -> int:
        """Open a root."""
        try:
            return open_root(self.roots[number], _FOLDER)
        except OSError as error:
            if not is_replaced(error):
                raise
            raise VoxPilotError(REPLACED.format(self.roots[number])) from error

    def is_inside(self, path: str) -> bool:
        """Whether a path is inside one of the chat's roots."""
        return _base_of(self.roots, path) is not None

    def is_reachable(self, path: str) -> bool:
        return self.is_inside(path) or _base_of(self._trusted, path) is not None

    def open(self, path: str, flags: int = _FOLDER) -> int:
        """Open a path beneath a root or a trusted folder, without following links."""
        base = _base_of(self.roots, path) or _base_of(self._trusted, path)
        if base is None:
            raise OSError(errno.EXDEV, "Outside")
        folder = open_root(base, _FOLDER)
        try:
            return open_plain(folder, path[len(base) :].strip("/") or ".", flags)
        finally:
            os.close(folder)


class Repository:
    """One work tree and its git directory."""

    def __init__(
        self, top: str, prefix: str, own: int, common: int, common_path: str, settings: dict[str, str]
    ) -> None:
        self.top = top
        """The folder that contains `.git`."""
        self.prefix = prefix
        """The path from there to the chat's root; empty or ending with a slash."""
        self.own = own
        """The git directory of this work tree, open: HEAD and the index are there."""
        self.common = common
        """The git directory that all work trees share; usually the same one."""
        self.common_path = common_path
        self.settings = settings
        """The few settings that we read, as data; git never sees any others."""


def find(bases: Bases, root: str) -> Repository:
    """The repository of a folder; NoRepository if it has none, GitFailed if we may not read it."""
    top = root
    while bases.is_reachable(top):
        kind = _kind(bases, f"{top.rstrip('/')}/.git")
        if kind is not None:
            prefix = root[len(top) :].strip("/")
            return _opened(bases, top, f"{prefix}/" if prefix else "", kind)
        if top == "/":
            break
        top = os.path.dirname(top)
    raise NoRepository


def head_of(repository: Repository) -> str | None:
    """The commit that is checked out in the repository of a submodule."""
    text = read_small(repository.own, "HEAD").strip()
    for _ in range(5):
        if not text.startswith("ref: "):
            return text if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", text) else None
        name = text.removeprefix("ref: ").strip()
        if not name.startswith("refs/") or ".." in name:
            return None
        text = read_small(repository.common, name).strip() or _packed(repository, name)
    return None


def read_small(folder: int, inner: str, most: int = _LARGEST_FILE) -> str:
    """A small text file beneath a folder; empty if it is missing, large, hard-linked or not regular."""
    return read_bytes(folder, inner, most).decode(errors="surrogateescape")


def read_bytes(folder: int, inner: str, most: int) -> bytes:
    try:
        file = open_plain(folder, inner, _FILE)
    except OSError:
        return b""
    with open(file, "rb") as opened:
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:  # a second hard link may be outside
            return b""
        data = opened.read(most + 1)
    return data if len(data) <= most else b""


def _kind(bases: Bases, path: str) -> int | None:
    try:
        found = bases.open(path, os.O_PATH | os.O_NOFOLLOW if hasattr(os, "O_PATH") else _FILE)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.EACCES):
            return None
        raise _is_link(path) from error
    try:
        return stat.S_IFMT(os.fstat(found).st_mode)
    finally:
        os.close(found)


def _opened(bases: Bases, top: str, prefix: str, kind: int) -> Repository:
    path = f"{top.rstrip('/')}/.git"
    if kind == stat.S_IFREG:
        path = _led_to(bases, top)
    elif kind != stat.S_IFDIR:
        raise _is_link(path)
    own = _folder(bases, path)
    shared = read_small(own, "commondir", 5_000).rstrip("\n")
    common_path = _join(path, shared) if shared else path
    common = _folder(bases, common_path) if shared else own
    settings = _settings(read_small(common, "config"))
    if not bases.is_inside(path) and kind == stat.S_IFREG:
        _check_names(own, path, top, settings, bool(shared))
    if shared and not bases.is_inside(common_path) and os.path.dirname(path) != f"{common_path}/worktrees":
        raise _outside(common_path)
    named = settings.get("core.worktree")
    if named and not shared and _join(path, named) != top:
        raise NoRepository  # it belongs to another folder
    if not read_small(own, "HEAD", 5_000):
        raise NoRepository
    return Repository(top, prefix, own, common, common_path, settings)


def _led_to(bases: Bases, top: str) -> str:
    folder = bases.open(top)
    try:
        text = read_small(folder, ".git", 5_000)
    finally:
        os.close(folder)
    if not text.startswith("gitdir: "):
        raise NoRepository
    return _join(top, text.removeprefix("gitdir: ").rstrip("\n"))


def _folder(bases: Bases, path: str) -> int:
    if not bases.is_reachable(path):
        raise _outside(path)
    try:
        return bases.open(path)
    except FileNotFoundError as error:
        raise NoRepository from error
    except OSError as error:
        raise _is_link(path) from error


def _check_names(own: int, path: str, top: str, settings: dict[str, str], is_linked: bool) -> None:
    """A git directory outside must itself name this folder as its work tree."""
    named = read_small(own, "gitdir", 5_000).rstrip("\n") if is_linked else settings.get("core.worktree", "")
    wanted = f"{top}/.git" if is_linked else top
    if not named or _join(path, named) != wanted:
        raise _outside(path)


def _join(folder: str, path: str) -> str:
    """Where a path in a file leads, without looking at the disk; links are refused when it is opened."""
    joined = os.path.normpath(os.path.join(folder, path))
    return "/" + joined.lstrip("/")


def _base_of(bases: Sequence[str], path: str) -> str | None:
    return next((base for base in bases if f"{path}/".startswith(f"{base.rstrip('/')}/")), None)


def _packed(repository: Repository, name: str) -> str:
    for line in read_small(repository.common, "packed-refs", 64_000_000).splitlines():
        if line.endswith(f" {name}"):
            return line.split(" ")[0]
    return ""


def _settings(text: str) -> dict[str, str]:
    """`core` and `extensions` of a git settings file, as far as a simple parser understands it."""
    found: dict[str, str] = {}
    section = ""
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("["):
            header = _SECTION.fullmatch(line)
            section, line = (header[1].lower(), header[2]) if header else ("", "")
        option = _OPTION.fullmatch(line)
        if section in ("core", "extensions") and option:
            found[f"{section}.{option[1].lower()}"] = _value(option[2])
    return found


def _value(text: str | None) -> str:
    if text is None:
        return "true"
    if text.startswith('"'):
        return re.sub(r"\\(.)", r"\1", text[1:].rpartition('"')[0])
    return re.split(r"[#;]", text)[0].strip()


def _outside(path: str) -> GitFailed:
    return GitFailed(
        f"The git directory of this folder is {path}, outside this chat's folders.",
        "Only the user can add that folder to the chat.",
    )


def _is_link(path: str) -> GitFailed:
    return GitFailed(f"{path} leads elsewhere, so git does not read it.")
