"""The private directory that git works in, and running git there.

Lives here: a git directory of our own, created for one task, without a work tree and with our own settings.
It contains copies of the repository's HEAD, references and index, and its objects as files that were opened
beneath the roots: git reads these, whatever happens to their paths. Those are in a folder of their own,
because writing through them changes the person's repository; our own objects are next to it. Lives
elsewhere: finding the repository (repository.py), what git is asked (history.py).
"""

from __future__ import annotations

import hashlib
import os
import re
import resource
import stat
import subprocess
import zlib
from contextlib import suppress

from voxpilot.workspace.beneath import open_plain
from voxpilot.workspace.looker.repository import Bases, GitFailed, Repository, read_bytes, read_small

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGEST_INDEX = 512_000_000
_LARGEST_REFERENCES = 64_000_000
_MOST_REFERENCES = 20_000
_MOST_COPIED = 256_000_000
_MOST_WRITTEN = 300_000_000
"""The most bytes of index, references and changed files copied into the private directory."""
_KEPT_FREE = 200
"""How many more files must be possible to open once all objects are open."""
_DEEPEST_ALTERNATE = 5
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_OPEN_FILES = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
_FOLDERS_IN_INDEX = b"sdir\0\0\0\0"
_KEEP_FOLDERS = (
    "-c", "index.sparse=true", "-c", "core.sparseCheckout=true", "-c", "core.sparseCheckoutCone=true",
    "-c", "sparse.expectFilesOutsideOfPatterns=true",
)  # fmt: skip
"""Or git would expand the folders, store their trees, and update the times of the person's objects."""
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REFERENCE = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64}|ref: refs/[^\x00-\x20~^:?*\[\\]+)\s*")
_SETTINGS = """[core]
\trepositoryformatversion = {version}
\tbare = true
\tattributesFile = /dev/null
\thooksPath = /dev/null
\tquotePath = false
\tbigFileThreshold = 8m
\tfsmonitor = false
[protocol]
\tallow = never
[log]
\tshowSignature = false
[color]
\tui = never
[safe]
\tbareRepository = explicit
[submodule]
\trecurse = false
[gc]
\tauto = 0
"""


class View:
    """One repository as git may see it."""

    def __init__(self, bases: Bases, repository: Repository, where: str, git: str) -> None:
        self._bases, self._repository, self._git = bases, repository, git
        self._where, self._given = f"{where}/git", f"{where}/objects"
        self._copied = 0
        self._written = 0
        self._objects: set[str] = set()
        self._has_folders = False
        self.outside: list[str] = []
        """Folders outside the chat's folders from which the repository borrows objects; they are not used."""
        self.hash = "sha256" if repository.settings.get("extensions.objectformat") == "sha256" else "sha1"
        for folder in ("refs/heads", "objects/pack", "objects/info", "logs"):
            os.makedirs(f"{self._where}/{folder}")
        self._write("objects/info/alternates", b"../../objects\n")
        self._write_settings()
        self._copy_references()

    def take_index(self) -> int:
        """Copy the index; returns when it was written, in nanoseconds, or 0 if there is none."""
        own = self._repository.own
        written = 0
        with os.scandir(own) as entries:
            parts = [entry.name for entry in entries if entry.name.startswith("sharedindex.")]
        for name in ("index", *parts[:10]):
            data = read_bytes(own, name, _LARGEST_INDEX)
            if data:
                self._write(name, data)
                self._has_folders = self._has_folders or _FOLDERS_IN_INDEX in data
        if self._has_folders:
            self._write("info/sparse-checkout", b"/*\n!/*/\n")
        with suppress(OSError):
            file = open_plain(own, "index", _FILE)
            written = os.fstat(file).st_mtime_ns
            os.close(file)
        return written

    def list_index(self, *options: str) -> bytes:
        """The entries of the index; in a sparse checkout some of them may be folders. Call it once."""
        keep = (_KEEP_FOLDERS, ("--sparse",)) if self._has_folders else ((), ())
        try:
            return self.run(*keep[0], "ls-files", "-z", *keep[1], *options)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(f"{self._where}/index")  # some git commands would read it again and expand it

    def take_objects(self) -> None:
        """Open all objects, including borrowed ones from other repositories in the chat's folders."""
        self._take_objects(self._repository.common, f"{self._repository.common_path}/objects", 0)

    def write_object(self, kind: str, data: bytes) -> str:
        """Store a new object; returns its name."""
        whole = f"{kind} {len(data)}\0".encode() + data
        name = hashlib.new(self.hash, whole, usedforsecurity=False).hexdigest()
        if name not in self._objects:
            self._objects.add(name)
            self._write(f"objects/{name[:2]}/{name[2:]}", zlib.compress(whole, 1))
        return name

    def run(self, *args: str, most: int = 1_000_000_000) -> bytes:
        """Git's output, up to this many bytes; GitFailed if git reports an error."""
        with subprocess.Popen(
            [self._git, "--no-pager", *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._where,
            env=self._environment(),
            close_fds=False,  # the objects
        ) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            out = child.stdout.read(most)
            if len(out) == most:
                child.kill()
                return out
            complaints = child.stderr.read(8_000)
        if child.returncode:
            raise GitFailed(self._reason(complaints.decode(errors="replace")))
        return out

    # What git sees

    def _write_settings(self) -> None:
        stored = self._repository.settings.get("extensions.refstorage", "files")
        more = "\tobjectFormat = sha256\n" if self.hash == "sha256" else ""
        more += "\trefStorage = reftable\n" if stored == "reftable" else ""
        text = _SETTINGS.format(version=1 if more else 0) + (f"[extensions]\n{more}" if more else "")
        self._write("config", text.encode())

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LC_ALL": "C.UTF-8",
            "HOME": self._where,
            "XDG_CONFIG_HOME": self._where,
            "GIT_DIR": self._where,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": "/",
            "GIT_DISCOVERY_ACROSS_FILESYSTEM": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_ALLOW_PROTOCOL": "",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_PAGER": "cat",
            "GIT_ASKPASS": "/bin/false",
            "SSH_ASKPASS": "/bin/false",
            "GIT_SSH_COMMAND": "/bin/false",
            "GIT_EDITOR": "/bin/false",
        }

    def _copy_references(self) -> None:
        own, common = self._repository.own, self._repository.common
        for name in ("HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD"):
            self._copy_reference(own, name)
        self._write("logs/HEAD", read_bytes(own, "logs/HEAD", 4_000_000))
        self._write("packed-refs", read_bytes(common, "packed-refs", _LARGEST_REFERENCES))
        shallow = read_small(common, "shallow").split()
        if shallow and all(_HASH.fullmatch(line) for line in shallow):
            self._write("shallow", ("\n".join(shallow) + "\n").encode())
        left = _MOST_REFERENCES
        for inner in _files_below(common, "refs"):
            self._copy_reference(common, inner)
            left -= 1
            if not left:
                break
        for inner in _files_below(common, "reftable"):
            self._write(inner, read_bytes(common, inner, _LARGEST_REFERENCES))

    def _copy_reference(self, folder: int, inner: str) -> None:
        text = read_small(folder, inner, 5_000)
        if _REFERENCE.fullmatch(text) and ".." not in text:
            self._write(inner, text.encode())

    # Objects

    def _take_objects(self, folder: int, path: str, depth: int, inner: str = "objects") -> None:
        try:
            objects = open_plain(folder, inner, _FOLDER)
        except OSError as error:
            raise GitFailed("The objects of this repository cannot be read.") from error
        try:
            for part in sorted(_names(objects)):
                if part == "pack":
                    self._take_files(objects, part, re.compile(r"pack-[0-9a-f]+\.(?:pack|idx)"))
                elif re.fullmatch(r"[0-9a-f]{2}", part):
                    self._take_files(objects, part, re.compile(r"[0-9a-f]{38}|[0-9a-f]{62}"))
            borrowed = read_small(objects, "info/alternates", 100_000)
        finally:
            os.close(objects)
        for line in borrowed.splitlines():
            self._borrow(line, path, depth)

    def _borrow(self, line: str, path: str, depth: int) -> None:
        if not line or line.startswith("#"):
            return
        place = "/" + os.path.normpath(os.path.join(path, line.strip('"'))).lstrip("/")
        if not self._bases.is_inside(place):
            self.outside.append(place)
        elif depth < _DEEPEST_ALTERNATE:
            with suppress(OSError):
                folder = self._bases.open(os.path.dirname(place))
                try:
                    self._take_objects(folder, place, depth + 1, os.path.basename(place))
                finally:
                    os.close(folder)

    def _take_files(self, objects: int, part: str, wanted: re.Pattern[str]) -> None:
        try:
            folder = open_plain(objects, part, _FOLDER)
        except OSError:
            return  # a link, or something that is not a folder
        try:
            names = [name for name in _names(folder) if wanted.fullmatch(name)]
            if names:
                os.makedirs(f"{self._given}/{part}", exist_ok=True)
            for name in names:
                self._take_file(folder, name, f"{self._given}/{part}/{name}")
        finally:
            os.close(folder)

    def _take_file(self, folder: int, name: str, target: str) -> None:
        try:
            file = os.open(name, _FILE | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        except OSError:
            return
        if not stat.S_ISREG(os.fstat(file).st_mode) or os.path.lexists(target):
            os.close(file)
        elif file < resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _KEPT_FREE:
            os.set_inheritable(file, True)
            os.symlink(f"{_OPEN_FILES}/{file}", target)
        else:
            self._copy(file, target)

    def _copy(self, file: int, target: str) -> None:
        """There are more objects than a process may have open files."""
        self._copied += os.fstat(file).st_size
        if self._copied > _MOST_COPIED:
            raise GitFailed("The repository has too many loose objects.", "Run `git gc` in it.")
        with open(file, "rb") as opened, open(target, "xb") as copy:
            copy.write(opened.read())

    def _write(self, inner: str, data: bytes) -> None:
        self._written += len(data)
        if self._written > _MOST_WRITTEN:
            raise GitFailed("The repository is too large to inspect.")
        path = f"{self._where}/{inner}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as file:  # a new file: never through a link
            file.write(data)

    def _reason(self, complaints: str) -> str:
        if self.outside:
            return f"The repository borrows objects from {self.outside[0]}, outside this chat's folders."
        first = complaints.splitlines()[0] if complaints else "Git did not say why"
        return f"{first.removeprefix('fatal: ').rstrip('.')[:300]}.".replace(self._where, ".git")


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def _files_below(folder: int, inner: str, depth: int = 0) -> Iterator[str]:
    """Regular files below a folder, without following links."""
    try:
        opened = open_plain(folder, inner, _FOLDER)
    except OSError:
        return
    try:
        with os.scandir(opened) as entries:
            found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    finally:
        os.close(opened)
    for name, is_folder in found:
        if not is_folder:
            yield f"{inner}/{name}"
        elif depth < 20:
            yield from _files_below(folder, f"{inner}/{name}", depth + 1)
