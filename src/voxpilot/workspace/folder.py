"""The path jail: opening what lies in a chat's folders, and nothing else.

Lives here: whether a path belongs to one of the roots, and opening it so that
no link, however quickly it is put there, leads out. Lives elsewhere: what is
read and written there (files.py).

The kernel does the work where it can (`openat2`, Linux 5.6): a link inside a root
is followed as long as it stays inside. Elsewhere no link is followed at all.
A path is taken as it is written: `..`, `~` and addresses are refused, not explained.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from voxpilot import umask
from voxpilot.errors import NotFound, VoxPilotError

LONGEST_PATH = 4096
PLACE = getattr(os, "O_PATH", os.O_RDONLY)
"""Opens a place without reading it."""
_OPENAT2 = 437
_BENEATH, _NO_MAGICLINKS = 0x08, 0x02
_TRIES = 20


class PathRefused(VoxPilotError):
    """A path that is not ours to touch, or nothing that can be read or written."""

    code = "path-refused"


@dataclass(frozen=True, slots=True)
class Place:
    """A path taken apart: the root it lies in, and the way down from there."""

    root: str
    parts: tuple[str, ...]

    @property
    def inner(self) -> str:
        return "/".join(self.parts) or "."

    @property
    def path(self) -> str:
        return "/".join((self.root.rstrip("/"), *self.parts))


def place_in(roots: Sequence[str], path: Any) -> Place:
    """Where a path lies; refused unless it is absolute, plain and inside one of the roots."""
    if not isinstance(path, str) or not path.startswith("/") or "\0" in path:
        raise PathRefused("A path must be absolute.", "Give the whole path, beginning with /.")
    try:
        size = len(os.fsencode(path))
    except UnicodeEncodeError as error:
        raise PathRefused("The path holds characters that no file name can have.") from error
    if size > LONGEST_PATH:
        raise PathRefused("The path is too long.")
    for root in roots:
        for base in dict.fromkeys((root.rstrip("/"), os.path.realpath(root).rstrip("/"))):
            if path == base or path.startswith(f"{base}/"):
                return Place(root, _parts(path[len(base) :]))
    raise PathRefused("The path is outside this chat's folders.", "Only the person can add a folder.")


def check_folder(roots: Sequence[str], path: Any) -> str:
    """The path again if it is a folder inside the roots."""
    place = place_in(roots, path)
    with root_of(place) as root, refusals(place.path):
        os.close(open_beneath(root, place.inner, PLACE | os.O_DIRECTORY))
    return place.path


@contextmanager
def root_of(place: Place) -> Iterator[int]:
    """The root itself, open while the block lasts."""
    with refusals(place.root):
        root = os.open(place.root, PLACE | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield root
    finally:
        os.close(root)


@contextmanager
def parent_of(place: Place) -> Iterator[tuple[int, str]]:
    """The folder that holds the place, made if missing, and the name in it; a link is followed first."""
    if not place.parts:
        raise PathRefused("This is a folder.")
    with root_of(place) as root, refusals(place.path):
        *above, name = _behind_link(root, place).parts
        folder = _folder(root, above)
        try:
            yield folder, name
        finally:
            os.close(folder)


@contextmanager
def refusals(path: str) -> Iterator[None]:
    """What the system says about a path, in our words."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFound(f"There is no {path}.") from error
    except OSError as error:
        if error.errno in (errno.EXDEV, errno.ELOOP):
            raise PathRefused("The path leads out of this chat's folders.") from error
        if error.errno in (errno.ENXIO, errno.ENODEV):
            raise PathRefused("This is no ordinary file.") from error
        raise PathRefused(f"{error.strerror}: {path:.200}.") from error


def open_beneath(folder: int, inner: str, flags: int) -> int:
    """Open what lies below a folder; an error (EXDEV, ELOOP) if a link would lead out of it."""
    flags |= os.O_CLOEXEC
    for _ in range(_TRIES):
        try:
            return _openat2(folder, inner, flags)
        except OSError as error:
            if error.errno in (errno.ENOSYS, errno.EPERM, errno.E2BIG):
                return _walk(folder, inner, flags)
            if error.errno != errno.EAGAIN:  # something was moved meanwhile: look again
                raise
    raise OSError(errno.ELOOP, "The folder changes too fast")


def check_ordinary(file: int) -> None:
    """Refuse whatever is not a file with one name: a second name may be one outside."""
    about = os.fstat(file)
    if not stat.S_ISREG(about.st_mode):
        raise PathRefused("This is no ordinary file.")
    if about.st_nlink > 1:
        raise PathRefused("The file has several names (hard links), so it may lie outside as well.")


def _parts(inner: str) -> tuple[str, ...]:
    parts = tuple(part for part in inner.split("/") if part not in ("", "."))
    if ".." in parts:
        raise PathRefused("A path must not hold `..`.", "Give the path without it.")
    return parts


def _behind_link(root: int, place: Place) -> Place:
    """The place itself, or where a link at its end leads to: only to something that is there, and inside."""
    try:
        link = open_beneath(root, place.inner, PLACE | os.O_NOFOLLOW)
    except FileNotFoundError:
        return place
    try:
        if not stat.S_ISLNK(os.fstat(link).st_mode):
            return place
    finally:
        os.close(link)
    target = open_beneath(root, place.inner, PLACE)
    try:
        base, path = (os.readlink(f"/proc/self/fd/{fd}") for fd in (root, target))
    finally:
        os.close(target)
    if not path.startswith(f"{base.rstrip('/')}/"):
        raise OSError(errno.EXDEV, "The link leads out")
    return Place(place.root, _parts(path[len(base.rstrip("/")) :]))


def _folder(root: int, parts: list[str]) -> int:
    try:
        return open_beneath(root, "/".join(parts) or ".", PLACE | os.O_DIRECTORY)
    except FileNotFoundError:
        return _made(root, parts)


def _made(root: int, parts: list[str]) -> int:
    """Go down step by step, making what is missing."""
    folder = os.dup(root)
    for part in parts:
        try:
            try:
                below = open_beneath(folder, part, PLACE | os.O_DIRECTORY)
            except FileNotFoundError:
                is_new = _make(folder, part)
                below = open_beneath(folder, part, PLACE | os.O_DIRECTORY | os.O_NOFOLLOW)
                if is_new and (wanted := umask.for_person(0o777)) is not None:
                    with suppress(OSError):  # it may be another's already
                        os.chmod(f"/proc/self/fd/{below}", wanted)
        finally:
            os.close(folder)
        folder = below
    return folder


def _make(folder: int, name: str) -> bool:
    """Whether it was not there before."""
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        return False
    return True


def _walk(folder: int, inner: str, flags: int) -> int:
    """The same without help from the kernel: step by step, through no link."""
    *above, name = inner.split("/")
    here = os.dup(folder)
    for part in above:
        try:
            below = os.open(part, PLACE | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
        finally:
            os.close(here)
        here = below
    try:
        file = os.open(name, flags | os.O_NOFOLLOW, dir_fd=here)
    finally:
        os.close(here)
    return _not_a_link(file)


def _not_a_link(file: int) -> int:
    """With O_PATH a link at the end is opened itself; nobody asked for that here."""
    if stat.S_ISLNK(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.ELOOP, "A link")
    return file


def _openat2(folder: int, inner: str, flags: int) -> int:
    call, how_type, get_errno, by_reference = _system_call()
    if call is None:
        raise OSError(errno.ENOSYS, "No openat2")
    how = how_type(flags, 0, _BENEATH | _NO_MAGICLINKS)
    file = call(_OPENAT2, folder, os.fsencode(inner), by_reference(how), 24)
    if file < 0:
        number = get_errno()
        raise OSError(number, os.strerror(number))
    return int(file)


@cache
def _system_call() -> tuple[Any, Any, Any, Any]:
    """The way to a system call that Python has no name for."""
    import ctypes  # only when the first file is touched, so that it costs no start-up time

    class How(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint64) for name in ("flags", "mode", "resolve")]

    call = getattr(ctypes.CDLL(None, use_errno=True), "syscall", None) if os.name == "posix" else None
    if os.uname().sysname != "Linux":
        call = None
    return call, How, ctypes.get_errno, ctypes.byref
