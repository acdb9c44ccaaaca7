"""Reading a file for the model, or a part of one.

Lives here: `read_file` inside the workspace, and `read_file_external` outside it, which says what it would
read, so that the runtime can ask a person first. Lives elsewhere: the jail (workspace/folder.py).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import Annotated, BinaryIO

from pydantic import Field

from voxpilot import locked_files
from voxpilot.assistant.tools.outcome import (
    MOST_FOR_THE_MODEL,
    Arguments,
    ToolFailed,
    ToolResult,
    full_path,
    result,
    short_path,
    size_of,
)
from voxpilot.threads import look_at
from voxpilot.values import dataclass
from voxpilot.workspace.beneath import PLACE, is_replaced, open_beneath, open_plain
from voxpilot.workspace.folder import check_ordinary, place_in, refusals, root_of

MOST_LINES = 2_000
MOST_READ = 32_000_000
"""How many bytes are searched at most to find a line."""
_TO_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SNIFFED = 8_192
_LONGEST_LINE = 4_000


class ReadFile(Arguments):
    path: Annotated[
        str, Field(min_length=1, description="The file, relative to the workspace or as an absolute path.")
    ]
    start_line: Annotated[int, Field(ge=1, description="The first line to read, counting from 1.")] = 1
    line_count: Annotated[int, Field(ge=1, le=MOST_LINES, description="How many lines to read.")] = MOST_LINES


class ReadExternal(ReadFile):
    path: Annotated[
        str, Field(min_length=1, description="The absolute path of a file outside the workspace.")
    ]


@dataclass(frozen=True, slots=True)
class ExternalFile:
    """What would be read, for the question to a person."""

    path: str
    """Its real path, with links resolved; this is the file that is read."""
    size: int


async def read_file(roots: Sequence[str], wanted: ReadFile) -> ToolResult:
    return await look_at((full_path(roots, wanted.path), *roots), _read_inside, roots, wanted)


async def look_at_external(wanted: ReadExternal) -> ExternalFile:
    """What `read_file_external` would read. Nothing of it is read yet."""
    return await look_at(os.path.expanduser(wanted.path), _look, wanted.path)


async def read_external(file: ExternalFile, wanted: ReadExternal) -> ToolResult:
    """Read a file that a person approved."""
    return await look_at(file.path, _read_outside, file, wanted)


def _read_inside(roots: Sequence[str], wanted: ReadFile) -> ToolResult:
    place = place_in(roots, full_path(roots, wanted.path))
    with root_of(place) as root, refusals(place.path):
        file = open_beneath(root, place.inner, _TO_READ)
        with os.fdopen(_checked(file, place.path), "rb") as opened:
            return _part(opened, short_path(roots, place.path), wanted)


def _look(path: str) -> ExternalFile:
    expanded = os.path.expanduser(path)
    if not expanded.startswith("/") or "\0" in expanded:
        raise ToolFailed("The path of a file outside the workspace must be absolute.")
    real = os.path.realpath(expanded)
    with refusals(path):
        about = os.stat(real)
    if not stat.S_ISREG(about.st_mode):
        raise ToolFailed(f"{path} is not a regular file.")
    return ExternalFile(real, about.st_size)


def _read_outside(file: ExternalFile, wanted: ReadFile) -> ToolResult:
    with refusals(file.path):
        locked_files.refuse(file.path)
        opened = _opened_without_links(file.path)
        with os.fdopen(opened, "rb") as reader:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise ToolFailed(f"{file.path} is not a regular file.")
            return _part(reader, file.path, wanted)


def _opened_without_links(path: str) -> int:
    """The path had no links when a person approved it."""
    top = os.open("/", PLACE | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return open_plain(top, path.strip("/"), _TO_READ)
    except OSError as error:
        if not is_replaced(error):
            raise
        raise ToolFailed("The path now leads elsewhere.", "Ask again.") from error
    finally:
        os.close(top)


def _checked(file: int, path: str) -> int:
    try:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise ToolFailed(f"{path} is a folder.", "Use list_directory.")
        check_ordinary(file)
    except BaseException:
        os.close(file)
        raise
    return file


def _part(file: BinaryIO, name: str, wanted: ReadFile) -> ToolResult:
    size = os.fstat(file.fileno()).st_size
    if b"\0" in file.read(_SNIFFED):
        text = f"{name} is not a text file ({size_of(size)}), so it is not shown."
        return ToolResult(text, text)
    file.seek(0)
    lines, first, is_all = _lines(file, wanted.start_line, wanted.line_count)
    if not lines and wanted.start_line > 1:
        raise ToolFailed(f"{name} ends before line {wanted.start_line}.", f"It is {size_of(size)} long.")
    if not lines:
        return ToolResult(f"{name} is empty.", f"{name} is empty.")
    last = first + len(lines) - 1
    text = "".join(lines)
    if is_all and first == 1:
        return result(text)
    note = f"[Lines {first}–{last} of {name} ({size_of(size)})."
    note += "]" if is_all else f" There are more lines: continue with start_line {last + 1}.]"
    return result(f"{text.rstrip(chr(10))}\n{note}")


def _lines(file: BinaryIO, start: int, count: int) -> tuple[list[str], int, bool]:
    """The lines, the number of the first, and whether the file ends with them."""
    lines: list[str] = []
    letters = passed = 0
    number = 1
    while passed <= MOST_READ and (raw := file.readline(MOST_READ)):
        passed += len(raw)
        if number >= start:
            line = raw.decode(errors="replace")
            line = (
                line
                if len(line) <= _LONGEST_LINE
                else f"{line[:_LONGEST_LINE]} [… {len(line):,} characters]\n"
            )
            letters += len(line)
            if len(lines) == count or (lines and letters > MOST_FOR_THE_MODEL - 200):
                return lines, start, False
            lines.append(line)
        number += 1
    if passed > MOST_READ:
        raise ToolFailed("The file is too large to find that line.", "Use grep_search instead.")
    return lines, start, True
