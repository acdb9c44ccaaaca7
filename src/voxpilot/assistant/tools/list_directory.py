"""The contents of a folder of the workspace."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from voxpilot.assistant.tools.outcome import Arguments, ToolResult, full_path, result, short_path, size_of
from voxpilot.threads import look_at
from voxpilot.values import dataclass
from voxpilot.workspace.beneath import open_beneath
from voxpilot.workspace.folder import Place, place_in, refusals, root_of
from voxpilot.workspace.listing import ignored

MOST_ENTRIES = 1_000


class ListDirectory(Arguments):
    path: Annotated[
        str, Field(description="The folder, relative to the workspace (default: the workspace itself).")
    ] = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    mode: int
    size: int
    target: str = ""

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    def shown(self) -> str:
        if self.is_folder:
            return f"{self.name}/"
        if stat.S_ISLNK(self.mode):
            return f"{self.name} -> {self.target} (link)"
        return f"{self.name} ({size_of(self.size)})"


async def list_directory(roots: Sequence[str], wanted: ListDirectory) -> ToolResult:
    path = full_path(roots, wanted.path)
    place = await look_at((path, *roots), place_in, roots, path)
    entries = await look_at(place.path, _entries, place)
    inner = "" if place.inner == "." else f"{place.inner}/"
    hidden = await ignored(place, [(f"{inner}{entry.name}", entry.is_folder) for entry in entries])
    shown = [entry for entry in entries if f"{inner}{entry.name}" not in hidden and entry.name != ".git"]
    lines = [entry.shown() for entry in shown[:MOST_ENTRIES]]
    if len(shown) > MOST_ENTRIES:
        lines.append(f"[Cut: {len(shown) - MOST_ENTRIES:,} more entries are not shown.]")
    if hidden:
        lines.append(f"[Not shown: {len(hidden)} ignored.]")
    return result("\n".join(lines) or f"{short_path(roots, place.path) or 'The workspace'} is empty.")


def _entries(place: Place) -> list[_Entry]:
    with root_of(place) as root, refusals(place.path):
        folder = open_beneath(root, place.inner, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with os.scandir(folder) as found:
                names = [entry.name for entry in found]
            entries = [_entry(folder, name) for name in names]
        finally:
            os.close(folder)
    there = [entry for entry in entries if entry is not None]
    return sorted(there, key=lambda entry: (not entry.is_folder, entry.name.lower()))


def _entry(folder: int, name: str) -> _Entry | None:
    try:
        about = os.stat(name, dir_fd=folder, follow_symlinks=False)
        target = os.readlink(name, dir_fd=folder) if stat.S_ISLNK(about.st_mode) else ""
    except OSError:
        return None
    return _Entry(name, about.st_mode, about.st_size, target)
