"""Text files in a chat's folders, read and written for an agent.

Lives here: reading within limits, and writing atomically without losing anybody's changes. Lives elsewhere:
which paths may be used (folder.py), whether a person must agree (runtime/callbacks/files.py).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from voxpilot import umask
from voxpilot.errors import Conflict, NotFound
from voxpilot.values import dataclass
from voxpilot.workspace.beneath import open_beneath
from voxpilot.workspace.folder import (
    PathRefused,
    check_ordinary,
    parent_of,
    place_in,
    refusals,
    root_of,
)

LARGEST_FILE = 8_000_000
"""Bytes. On the wire text can take up to seven times as much, which still fits into a message."""
Check = Callable[[str], None]
"""Raises if the opened file, given by its real path, must not be used."""
_TO_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_TO_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class ChangedMeanwhile(Conflict):
    """A file has changed since it was last read."""

    code = "changed-meanwhile"


@dataclass(frozen=True, slots=True)
class TextFile:
    text: str
    version: str
    """Identifies these contents: the same contents have the same version."""


def read(roots: Sequence[str], path: object, check: Check | None = None) -> TextFile:
    """The contents of a text file. Anything else is refused, and nothing blocks."""
    place = place_in(roots, path)
    with root_of(place) as root, refusals(place.path):
        return _text(_contents(open_beneath(root, place.inner, _TO_READ), check))


def look(roots: Sequence[str], path: object, check: Check | None = None) -> TextFile | None:
    """The file that a write would replace; None if it does not exist and could be created."""
    place = place_in(roots, path)
    if not place.parts:
        raise PathRefused("This is a folder.")
    try:
        return read(roots, path, check)
    except NotFound:
        with root_of(place) as root, refusals(place.path):
            _check_no_link(root, place.inner)
        if check is not None:
            check(os.path.realpath(place.path))
        return None


def write(
    roots: Sequence[str],
    path: object,
    text: str,
    before: str | None,
    name: str,
    check: Check | None = None,
) -> str:
    """Replace a file whose version is `before` (None: it does not exist); returns the new version.

    A second call does nothing, so it can be repeated if it is unknown whether it was done. `name` is the name
    of the temporary file, which then replaces the other.
    """
    data = _encoded(text)
    place = place_in(roots, path)
    with parent_of(place) as (folder, last), refusals(place.path):
        if check is not None:
            check(os.path.join(os.readlink(f"/proc/self/fd/{folder}"), last))
        old, mode = _old(folder, last)
        if old == version_of(data):
            return old
        if old != before:
            raise ChangedMeanwhile(
                f"{path} has changed since it was read, so it was not written.", "Read it again."
            )
        _replace(folder, last, data, mode, f".{name}.voxpilot")
    return version_of(data)


def part_of(text: str, line: int | None, limit: int | None) -> str:
    """This many lines, starting at this line number (from 1); none after the end."""
    if line is None and limit is None:
        return text
    lines = text.split("\n")
    whole = [f"{one}\n" for one in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    first = max(0, (line or 1) - 1)
    return "".join(whole[first:] if limit is None else whole[first : first + limit])


def version_of(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _contents(file: int, check: Check | None = None) -> bytes:
    try:
        if check is not None:
            check(os.readlink(f"/proc/self/fd/{file}"))
        check_ordinary(file)
        with open(file, "rb", closefd=False) as opened:
            data = opened.read(LARGEST_FILE + 1)
    finally:
        os.close(file)
    if len(data) > LARGEST_FILE:
        raise PathRefused(f"The file is larger than {LARGEST_FILE // 1_000_000} MB.")
    return data


def _text(data: bytes) -> TextFile:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise PathRefused("The file is not UTF-8 text.") from error
    if "\0" in text:
        raise PathRefused("The file is not a text file.")
    return TextFile(text, version_of(data))


def _encoded(text: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise PathRefused("The text contains half a surrogate pair.") from error
    if len(data) > LARGEST_FILE:
        raise PathRefused(f"The text is larger than {LARGEST_FILE // 1_000_000} MB.")
    return data


def _check_no_link(root: int, inner: str) -> None:
    """A dangling link may lead anywhere by the time its target exists."""
    with suppress(FileNotFoundError):
        os.close(open_beneath(root, inner, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK))


def _old(folder: int, name: str) -> tuple[str | None, int | None]:
    try:
        file = open_beneath(folder, name, _TO_READ | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None, None
    mode = os.fstat(file).st_mode & 0o777
    return version_of(_contents(file)), mode


def _replace(folder: int, name: str, data: bytes, mode: int | None, new: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(new, dir_fd=folder)  # left over from an interrupted write
    file = os.open(new, _TO_MAKE, 0o666, dir_fd=folder)
    try:
        with open(file, "wb") as opened:
            opened.write(data)
            opened.flush()
            if (wanted := umask.for_person(0o666) if mode is None else mode) is not None:
                os.fchmod(file, wanted)
            os.fsync(file)
        os.rename(new, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(new, dir_fd=folder)
        raise
