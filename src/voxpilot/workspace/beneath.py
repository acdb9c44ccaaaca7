"""Opening paths inside a folder, and nothing else.

Lives here: opening a path so that no link leads outside, even one that is created in the meantime, and
opening the folder itself only in the place that was chosen.
Lives elsewhere: which folders and paths those are (folder.py).

The kernel does the work where it can (`openat2`, Linux 5.6): a link inside a root
is followed as long as it stays inside. Elsewhere no link is followed at all.
It imports little of the standard library, because one of our programs needs it at start-up (looker/).
"""

from __future__ import annotations

import errno
import os
import stat
from functools import cache

from voxpilot import locked_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PLACE = getattr(os, "O_PATH", os.O_RDONLY)
"""Opens a place without reading it."""
REPLACED = "The chat's folder {} is no longer a folder, or a symbolic link in its path leads elsewhere."
_OPENAT2 = 437
_BENEATH, _NO_MAGICLINKS = 0x08, 0x02
_TRIES = 20


def open_root(path: str, flags: int) -> int:
    """Open a folder by its absolute path; an error (ENOTDIR, ELOOP) if any part of the path is a link.

    A person chose the folder when the path had no links, so somebody has put one there since.
    """
    top = os.open("/", PLACE | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        inner = "/".join(part for part in path.split("/") if part)
        return open_plain(top, inner or ".", flags | os.O_DIRECTORY)
    finally:
        os.close(top)


def is_replaced(error: OSError) -> bool:
    """Whether `open_root` failed because of a link."""
    return error.errno in (errno.ENOTDIR, errno.ELOOP)


def open_beneath(folder: int, inner: str, flags: int) -> int:
    """Open a path inside a folder; an error (EXDEV, ELOOP) if a link would lead outside."""
    flags |= os.O_CLOEXEC
    if not flags & (PLACE | os.O_DIRECTORY):
        locked_files.refuse(inner, folder)
    for _ in range(_TRIES):
        try:
            return _openat2(folder, inner, flags)
        except OSError as error:
            if error.errno in (errno.ENOSYS, errno.EPERM, errno.E2BIG):
                return open_plain(folder, inner, flags)
            if error.errno != errno.EAGAIN:  # something was moved in the meantime: try again
                raise
    raise OSError(errno.ELOOP, "The folder is changing too quickly")


def open_plain(folder: int, inner: str, flags: int) -> int:
    """The same without help from the kernel: step by step, without following links."""
    flags |= os.O_CLOEXEC
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
    """With O_PATH, a link at the end would be opened itself, which is not wanted here."""
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
    """Access to a system call that Python does not provide."""
    import ctypes  # only when the first file is touched, so that it costs no start-up time

    class How(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint64) for name in ("flags", "mode", "resolve")]

    call = getattr(ctypes.CDLL(None, use_errno=True), "syscall", None) if os.name == "posix" else None
    if os.uname().sysname != "Linux":
        call = None
    return call, How, ctypes.get_errno, ctypes.byref
