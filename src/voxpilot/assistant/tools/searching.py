"""Finding files by name, and lines by their content.

Lives here: `glob_search` and `grep_search`. Both run outside the server, since a pattern can
keep a regular expression busy forever. Lives elsewhere: the program that searches, which
opens every file beneath the roots (workspace/looker).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

from pydantic import Field

from voxpilot.assistant.tools.outcome import Arguments, ToolFailed, ToolResult, full_path, result, short_path
from voxpilot.errors import VoxPilotError
from voxpilot.threads import look_at
from voxpilot.workspace.beneath import PLACE, open_plain
from voxpilot.workspace.folder import Place, check_folder, place_in, root_of
from voxpilot.workspace.listing import visible_files
from voxpilot.workspace.looking import look
from voxpilot.workspace.programs import Ran

MOST_HITS = 200
MOST_PATHS = 500
LONGEST_LINE = 300
SECONDS = 20.0
_LARGEST_FILE = 4_000_000
_NOT_SEARCHED = "Files of more than 4 MB are not searched."
_MOST_PRINTED = 400_000
Where = Annotated[
    str, Field(description="The folder to search, relative to the workspace (default: the whole workspace).")
]


class GlobSearch(Arguments):
    pattern: Annotated[
        str,
        Field(
            min_length=1,
            max_length=400,
            description="For example `**/*.py` or `src/*.{ts,tsx}`; `**` matches any folder.",
        ),
    ]
    path: Where = ""


class GrepSearch(Arguments):
    pattern: Annotated[str, Field(min_length=1, max_length=1_000, description="A regular expression.")]
    path: Annotated[
        str, Field(description="The folder or file to search (default: the whole workspace).")
    ] = ""
    glob: Annotated[
        str, Field(max_length=400, description="Only search files whose names match, for example `*.py`.")
    ] = ""
    ignore_case: bool = False


class _Hit(NamedTuple):
    path: str
    line: int
    text: str


async def glob_search(roots: Sequence[str], wanted: GlobSearch, trusted: Sequence[str]) -> ToolResult:
    path = full_path(roots, wanted.path)
    place = await look_at((path, *roots), place_in, roots, path)
    folder = await look_at((path, *roots), check_folder, roots, place.path)
    listing = await visible_files(roots, place, trusted, wanted.pattern)
    inner = short_path(roots, f"{folder}/")
    lines = [f"{inner}{path}" for path in listing.paths[:MOST_PATHS]]
    if len(listing.paths) > MOST_PATHS:
        more = len(listing.paths) - MOST_PATHS
        lines.append(f"[Cut: {more:,} more are not shown. Use a narrower pattern.]")
    if listing.is_cut:
        lines.append("[The folder is too large to search completely. Choose a subfolder.]")
    return result("\n".join(lines) or "No matching files.")


async def grep_search(roots: Sequence[str], wanted: GrepSearch, trusted: Sequence[str]) -> ToolResult:
    place, only = await look_at((full_path(roots, wanted.path), *roots), _where, roots, wanted.path)
    ran = await look(
        "grep",
        roots,
        trusted,
        limit_bytes=_MOST_PRINTED,
        limit_seconds=SECONDS,
        place=place,
        only=only,
        glob=wanted.glob,
        pattern=wanted.pattern,
        ignore_case=wanted.ignore_case,
        most_hits=MOST_HITS + 1,
        longest_line=LONGEST_LINE,
        largest_file=_LARGEST_FILE,
    )
    hits = sorted(_hits(ran))
    inner = short_path(roots, f"{place.path}/")
    lines = [f"{inner}{hit.path}:{hit.line}: {hit.text}" for hit in hits[:MOST_HITS]]
    if len(hits) > MOST_HITS or ran.is_cut:
        lines.append(f"[Cut after {len(lines)} lines. Use a narrower pattern, a folder or a glob.]")
    if ran.is_late:
        lines.append(f"[Stopped after {SECONDS:.0f} seconds: there may be more. Use a folder or a glob.]")
    return result("\n".join(lines) or f"Nothing found. {_NOT_SEARCHED}")


def _where(roots: Sequence[str], path: str) -> tuple[Place, str]:
    """The folder to search and, if a file was named, its name there."""
    place = place_in(roots, full_path(roots, path))
    try:
        check_folder(roots, place.path)
    except VoxPilotError:
        if not place.parts:
            raise
        return Place(place.root, place.parts[:-1]), _there(place, path)
    return place, ""


def _there(place: Place, path: str) -> str:
    with root_of(place) as root:
        try:
            os.close(open_plain(root, place.inner, PLACE))
        except OSError as error:
            raise ToolFailed(f"{path} cannot be searched.", "It does not exist or is a link.") from error
    return place.parts[-1]


def _hits(ran: Ran) -> Iterator[_Hit]:
    *whole, _ = ran.out.split(b"\n")
    for raw in whole:
        path, line, text = json.loads(raw)
        yield _Hit(path, line, _line(text))


def _line(text: str) -> str:
    text = text.rstrip("\r\n")
    return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}…"
