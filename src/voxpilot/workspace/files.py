"""Text files in a chat's folders, read and written for an agent.

Lives here: reading with its limits, and writing so that a file is the old one
or the new one and nobody's change is lost. Lives elsewhere: which paths may be
touched (folder.py), whether a person must agree (runtime/files.py).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from voxpilot import umask
from voxpilot.errors import Conflict, NotFound
from voxpilot.workspace.folder import (
    PathRefused,
    check_ordinary,
    open_beneath,
    parent_of,
    place_in,
    refusals,
    root_of,
)

LARGEST_FILE = 8_000_000
"""Bytes. Seven times as much, which the worst of text becomes on the wire, still fits into a message."""
_TO_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_TO_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class ChangedMeanwhile(Conflict):
    """A file is not what it was when somebody last looked."""

    code = "changed-meanwhile"


@dataclass(frozen=True, slots=True)
class TextFile:
    text: str
    version: str
    """Names these contents: the same contents, the same version."""


def read(roots: Sequence[str], path: Any) -> TextFile:
    """A whole text file. Anything else is refused, and nothing is ever waited for."""
    place = place_in(roots, path)
    with root_of(place) as root, refusals(place.path):
        return _text(_contents(open_beneath(root, place.inner, _TO_READ)))


def look(roots: Sequence[str], path: Any) -> TextFile | None:
    """The file that a write would replace; None if there is none and one could be made."""
    place = place_in(roots, path)
    if not place.parts:
        raise PathRefused("This is a folder.")
    try:
        return read(roots, path)
    except NotFound:
        with root_of(place) as root, refusals(place.path):
            _check_no_link(root, place.inner)
        return None


def write(roots: Sequence[str], path: Any, text: str, before: str | None, name: str) -> str:
    """Replace a file whose version is `before` (None: there is none), and say the new version.

    Done a second time it does nothing, so it may be repeated when nobody knows whether it was done.
    `name` is one for the file that is written first, which then takes the other's place.
    """
    data = _encoded(text)
    place = place_in(roots, path)
    with parent_of(place) as (folder, last), refusals(place.path):
        old, mode = _old(folder, last)
        if old == version_of(data):
            return old
        if old != before:
            raise ChangedMeanwhile(f"{path} was changed meanwhile; it was left as it is.", "Read it again.")
        _replace(folder, last, data, mode, f".{name}.voxpilot")
    return version_of(data)


def part_of(text: str, line: int | None, limit: int | None) -> str:
    """So many lines from the line with this number, which counts from 1; past the end there are none."""
    if line is None and limit is None:
        return text
    lines = text.split("\n")
    whole = [f"{one}\n" for one in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    first = max(0, (line or 1) - 1)
    return "".join(whole[first:] if limit is None else whole[first : first + limit])


def version_of(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _contents(file: int) -> bytes:
    try:
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
        raise PathRefused("The file is no UTF-8 text.") from error
    if "\0" in text:
        raise PathRefused("The file is no text.")
    return TextFile(text, version_of(data))


def _encoded(text: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise PathRefused("The text holds half a character.") from error
    if len(data) > LARGEST_FILE:
        raise PathRefused(f"The text is larger than {LARGEST_FILE // 1_000_000} MB.")
    return data


def _check_no_link(root: int, inner: str) -> None:
    """A link to nothing may lead anywhere by the time that it leads to something."""
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
        os.unlink(new, dir_fd=folder)  # left by a write that was cut short
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
