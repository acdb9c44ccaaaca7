"""The path jail: opening files inside a chat's folders, and nothing else.

Lives here: whether a path belongs to one of the roots, and the folders that contain it.
Lives elsewhere: opening so that no link leads out (beneath.py), what is read and
written there (files.py).

The path of a root contains no links: they were followed when a person chose it. A path in it is used as
written: `..`, `~` and addresses are refused, not resolved.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from voxpilot import umask
from voxpilot.errors import NotFound, VoxPilotError
from voxpilot.values import dataclass
from voxpilot.workspace.beneath import PLACE, REPLACED, is_replaced, open_beneath, open_root

LONGEST_PATH = 4096


class PathRefused(VoxPilotError):
    """A path that may not be used, or that cannot be read or written."""

    code = "path-refused"


@dataclass(frozen=True, slots=True)
class Place:
    """A parsed path: the root that contains it, and the path from there."""

    root: str
    parts: tuple[str, ...]

    @property
    def inner(self) -> str:
        return "/".join(self.parts) or "."

    @property
    def path(self) -> str:
        return "/".join((self.root.rstrip("/"), *self.parts))


def place_in(roots: Sequence[str], path: object) -> Place:
    """The place of a path; refused unless it is absolute, plain and inside one of the roots."""
    if not isinstance(path, str) or not path.startswith("/") or "\0" in path:
        raise PathRefused("The path must be absolute.", "Use the full path, starting with /.")
    try:
        size = len(os.fsencode(path))
    except UnicodeEncodeError as error:
        raise PathRefused("The path contains characters that are not allowed in file names.") from error
    if size > LONGEST_PATH:
        raise PathRefused("The path is too long.")
    _parts(path)
    if (place := _inside(roots, path)) is not None:
        return place
    # A second look for those who reach the folder through a link, such as a home folder on another disk.
    with suppress(OSError):  # the path is being changed right now
        if (place := _inside(roots, os.path.realpath(path))) is not None:
            return place
    raise PathRefused("The path is outside this chat's folders.", "Only the user can add a folder.")


def _inside(roots: Sequence[str], path: str) -> Place | None:
    for root in roots:
        base = root.rstrip("/")
        if path == base or path.startswith(f"{base}/"):
            return Place(root, _parts(path[len(base) :]))
    return None


def check_folder(roots: Sequence[str], path: object) -> str:
    """The path again if it is a folder inside the roots."""
    place = place_in(roots, path)
    with root_of(place) as root, refusals(place.path):
        os.close(open_beneath(root, place.inner, PLACE | os.O_DIRECTORY))
    return place.path


@contextmanager
def root_of(place: Place) -> Iterator[int]:
    """The root itself, open within the block."""
    with refusals(place.root):
        try:
            root = open_root(place.root, PLACE)
        except OSError as error:
            if not is_replaced(error):
                raise
            hint = "Only the user can choose the folder again."
            raise PathRefused(REPLACED.format(place.root), hint) from error
    try:
        yield root
    finally:
        os.close(root)


@contextmanager
def parent_of(place: Place) -> Iterator[tuple[int, str]]:
    """The folder that contains the place, created if missing, and the name in it, after following a link."""
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
        raise NotFound(f"{path} does not exist.") from error
    except OSError as error:
        if error.errno in (errno.EXDEV, errno.ELOOP):
            raise PathRefused("The path leads outside this chat's folders.") from error
        if error.errno in (errno.ENXIO, errno.ENODEV):
            raise PathRefused("This is not a regular file.") from error
        raise PathRefused(f"{error.strerror}: {path:.200}.") from error


def check_ordinary(file: int) -> None:
    """Refuse anything but a file with one name: a second hard link may be outside."""
    about = os.fstat(file)
    if not stat.S_ISREG(about.st_mode):
        raise PathRefused("This is not a regular file.")
    if about.st_nlink > 1:
        raise PathRefused("The file has several hard links, so it may also be outside this chat's folders.")


def _parts(inner: str) -> tuple[str, ...]:
    parts = tuple(part for part in inner.split("/") if part not in ("", "."))
    if ".." in parts:
        raise PathRefused("The path must not contain `..`.", "Use a path without it.")
    return parts


def _behind_link(root: int, place: Place) -> Place:
    """The place itself, or the target of a link at its end, which must exist and be inside."""
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
        raise OSError(errno.EXDEV, "The link leads outside")
    return Place(place.root, _parts(path[len(base.rstrip("/")) :]))


def _folder(root: int, parts: list[str]) -> int:
    try:
        return open_beneath(root, "/".join(parts) or ".", PLACE | os.O_DIRECTORY)
    except FileNotFoundError:
        return _made(root, parts)


def _made(root: int, parts: list[str]) -> int:
    """Descend step by step, creating missing folders."""
    folder = os.dup(root)
    for part in parts:
        try:
            try:
                below = open_beneath(folder, part, PLACE | os.O_DIRECTORY)
            except FileNotFoundError:
                is_new = _make(folder, part)
                below = open_beneath(folder, part, PLACE | os.O_DIRECTORY | os.O_NOFOLLOW)
                if is_new and (wanted := umask.for_person(0o777)) is not None:
                    with suppress(OSError):  # somebody else may have created it already
                        os.chmod(f"/proc/self/fd/{below}", wanted)
        finally:
            os.close(folder)
        folder = below
    return folder


def _make(folder: int, name: str) -> bool:
    """Whether it did not exist before."""
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        return False
    return True
