"""Files and folders that a message mentions.

Lives here: reading one within limits, or saying why it cannot be read. Lives elsewhere: opening it so that no
link leads out (folder.py), what an agent gets of it (agents/requests/assembling.py).
"""

from __future__ import annotations

import os
import stat
from base64 import b64encode
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from voxpilot.errors import VoxPilotError
from voxpilot.values import dataclass
from voxpilot.workspace.beneath import open_beneath
from voxpilot.workspace.folder import check_ordinary, place_in, refusals, root_of

LARGEST_PICTURE = 5_000_000
LARGEST_READ = 8_000_000
"""Bytes of a file of which some lines are wanted."""
MOST_LISTED = 200
_TO_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_KINDS = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "flac": "audio/flac",
    "m4a": "audio/mp4",
    "md": "text/markdown",
    "html": "text/html",
    "css": "text/css",
    "csv": "text/csv",
    "json": "application/json",
    "xml": "application/xml",
    "pdf": "application/pdf",
    "zip": "application/zip",
    "svg": "image/svg+xml",
}
_INLINE = ("image/png", "image/jpeg", "image/gif", "image/webp", "audio/wav", "audio/mpeg", "audio/ogg")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mentioned:
    """A file or folder as it is now."""

    uri: str
    mime: str | None = None
    bytes: int = 0
    text: str | None = None
    """The text of a small file, or of the wanted lines."""
    data: str | None = None
    """A picture or sound, in base64."""
    lines: tuple[int, int] | None = None
    """Which of them; none if it is the whole file."""
    is_folder: bool = False

    def as_json(self) -> dict[str, Any]:
        named = {
            "uri": self.uri,
            "mime": self.mime,
            "bytes": self.bytes,
            "text": self.text,
            "data": self.data,
            "lines": list(self.lines) if self.lines else None,
            "is_folder": self.is_folder or None,
        }
        return {name: value for name, value in named.items() if value is not None}


def read(roots: Sequence[str], path: str, lines: Sequence[int] | None, most_bytes: int) -> Mentioned:
    """What a path in the workspace names. Blocks on the disk; raises VoxPilotError."""
    place = place_in(roots, path if path.startswith("/") else f"{roots[0].rstrip('/')}/{path}")
    with root_of(place) as root, refusals(path):
        file = open_beneath(root, place.inner, _TO_READ)
        try:
            about = os.fstat(file)
            if stat.S_ISDIR(about.st_mode):
                return _folder(file, uri_of(place.path, is_folder=True))
            check_ordinary(file)
            return _file(file, place.path, about.st_size, lines, most_bytes)
        finally:
            os.close(file)


def uri_of(path: str, is_folder: bool = False) -> str:
    """The address of a file of this machine."""
    return f"file://{quote(os.fsencode(path), safe='/~')}{'/' if is_folder else ''}"


def kind_of(name: str) -> str | None:
    """The media type that a file's name stands for."""
    return _KINDS.get(PurePosixPath(name).suffix.lower().removeprefix("."))


def _file(file: int, path: str, size: int, lines: Sequence[int] | None, most_bytes: int) -> Mentioned:
    uri, mime = uri_of(path), kind_of(path)
    if mime in _INLINE and size <= LARGEST_PICTURE:
        data = b64encode(_contents(file, LARGEST_PICTURE)).decode()
        return Mentioned(uri=uri, mime=mime, bytes=size, data=data)
    if size > (LARGEST_READ if lines else most_bytes):
        return Mentioned(uri=uri, mime=mime, bytes=size)
    found = _contents(file, LARGEST_READ)
    try:
        text = found.decode()
    except UnicodeDecodeError:
        return Mentioned(uri=uri, mime=mime, bytes=size)
    if "\0" in text:
        return Mentioned(uri=uri, mime=mime, bytes=size)
    if lines is None:
        return Mentioned(uri=uri, mime=mime, bytes=size, text=text)
    return _some_lines(Mentioned(uri=uri, mime=mime, bytes=size), text, lines, most_bytes)


def _some_lines(whole: Mentioned, text: str, lines: Sequence[int], most_bytes: int) -> Mentioned:
    all_lines = text.splitlines(keepends=True)
    first, last = lines[0], min(lines[-1], len(all_lines))
    if first > len(all_lines):
        raise VoxPilotError(f"It has only {len(all_lines)} lines.")
    part = "".join(all_lines[first - 1 : last])
    size = len(part.encode())
    if size > most_bytes:
        return Mentioned(uri=whole.uri, mime=whole.mime, bytes=whole.bytes, lines=(first, last))
    return Mentioned(uri=whole.uri, mime=whole.mime, bytes=size, text=part, lines=(first, last))


def _folder(folder: int, uri: str) -> Mentioned:
    """Its entries as text, for a model that cannot look itself."""
    names: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if len(names) >= MOST_LISTED:
                names.append("…")
                break
            name = entry.name.encode(errors="replace").decode()
            names.append(f"{name}/" if entry.is_dir(follow_symlinks=False) else name)
    return Mentioned(uri=uri, mime="inode/directory", text="\n".join(sorted(names)), is_folder=True)


def _contents(file: int, most: int) -> bytes:
    with open(file, "rb", closefd=False) as opened:
        return opened.read(most)
