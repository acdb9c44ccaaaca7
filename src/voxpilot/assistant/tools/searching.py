"""Finding files by name, and lines by what they hold.

Lives here: `glob_search`, and `grep_search` with ripgrep where it is installed,
else with a program of our own. Either runs outside the server, since a pattern can
keep a regular expression busy for ever. Lives elsewhere: which files count
(workspace/listing.py), our program (search_program.py).
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from voxpilot.assistant.tools.outcome import Arguments, ToolFailed, ToolResult, full_path, result, short_path
from voxpilot.workspace.folder import check_folder, place_in
from voxpilot.workspace.globs import Glob
from voxpilot.workspace.listing import visible_files
from voxpilot.workspace.programs import Ran, run

MOST_HITS = 200
MOST_PATHS = 500
LONGEST_LINE = 300
SECONDS = 20.0
_LARGEST_FILE = 4_000_000
_NOT_SEARCHED = "Files of more than 4 MB are not searched."
_MOST_PRINTED = 400_000
_PROGRAM = Path(__file__).with_name("search_program.py")
Where = Annotated[str, Field(description="The folder to look in, from the workspace; all of it if left out.")]


class GlobSearch(Arguments):
    pattern: Annotated[
        str,
        Field(
            min_length=1, max_length=400, description="As `**/*.py` or `src/*.{ts,tsx}`; `**` is any folder."
        ),
    ]
    path: Where = ""


class GrepSearch(Arguments):
    pattern: Annotated[str, Field(min_length=1, max_length=1_000, description="A regular expression.")]
    path: Annotated[
        str, Field(description="The folder or file to look in; all of the workspace if left out.")
    ] = ""
    glob: Annotated[str, Field(max_length=400, description="Only in files with such names, as `*.py`.")] = ""
    ignore_case: bool = False


class _Hit(NamedTuple):
    path: str
    line: int
    text: str


async def glob_search(roots: Sequence[str], wanted: GlobSearch) -> ToolResult:
    folder = check_folder(roots, full_path(roots, wanted.path))
    listing = await visible_files(folder)
    inner = short_path(roots, f"{folder}/")
    found = await asyncio.to_thread(_named, folder, listing.paths, wanted.pattern)
    lines = [f"{inner}{path}" for path in found[:MOST_PATHS]]
    if len(found) > MOST_PATHS:
        lines.append(f"[Cut: {len(found) - MOST_PATHS:,} more are not shown. Use a narrower pattern.]")
    if listing.is_cut:
        lines.append("[The folder is too large to be searched whole. Name a folder in it.]")
    return result("\n".join(lines) or "No file has such a name.")


async def grep_search(roots: Sequence[str], wanted: GrepSearch) -> ToolResult:
    folder, only = _where(roots, wanted.path)
    ripgrep = shutil.which("rg")
    if ripgrep:
        ran = await _by_ripgrep(ripgrep, folder, only, wanted)
        hits = list(_ripgrep_hits(ran))
    else:
        ran = await _by_our_program(folder, only, wanted)
        hits = list(_our_hits(ran))
    inner = short_path(roots, f"{folder}/")
    kept = sorted(hit for hit in hits if _is_ours(folder, hit.path))
    lines = [f"{inner}{hit.path}:{hit.line}: {hit.text}" for hit in kept[:MOST_HITS]]
    if len(kept) > MOST_HITS or ran.is_cut:
        lines.append(f"[Cut after {len(lines)} lines. Use a narrower pattern, a folder or a glob.]")
    if ran.is_late:
        lines.append(f"[Stopped after {SECONDS:.0f} seconds: there may be more. Name a folder or a glob.]")
    return result("\n".join(lines) or f"Nothing found. {_NOT_SEARCHED}")


def _named(folder: str, paths: Iterable[str], pattern: str) -> list[str]:
    """Those with such a name that are there: git also lists what was deleted but not yet committed."""
    glob = Glob(pattern)
    return [path for path in paths if glob.matches(path) and os.path.lexists(f"{folder}/{path}")]


def _where(roots: Sequence[str], path: str) -> tuple[str, str]:
    """The folder to search and, if a file was named, its name there."""
    place = place_in(roots, full_path(roots, path))
    if os.path.isdir(place.path):
        return check_folder(roots, place.path), ""
    if not os.path.lexists(place.path):
        raise ToolFailed(f"There is no {path}.")
    folder, name = os.path.split(place.path)
    return check_folder(roots, folder), name


def _is_ours(folder: str, path: str) -> bool:
    """An ordinary file with one name, as the jail has it; a second name may be one outside."""
    try:
        about = os.lstat(f"{folder}/{path}")
    except OSError:
        return False
    return stat.S_ISREG(about.st_mode) and about.st_nlink == 1


async def _by_ripgrep(program: str, folder: str, only: str, wanted: GrepSearch) -> Ran:
    options = [
        "--no-config", "--no-messages", "--line-number", "--with-filename", "--no-heading", "--null",
        "--hidden", "--color=never", "--glob=!.git", "--no-require-git", "--max-columns-preview",
        f"--max-columns={LONGEST_LINE}", f"--max-filesize={_LARGEST_FILE}", f"--max-count={MOST_HITS + 1}",
    ]  # fmt: skip
    options += ["--ignore-case"] * wanted.ignore_case + [f"--glob={wanted.glob}"] * bool(wanted.glob)
    argv = [program, *options, "-e", wanted.pattern, "--", f"./{only}"]
    ran = await run(argv, folder, limit_bytes=_MOST_PRINTED, limit_seconds=SECONDS)
    if ran.code == 2 and not ran.out:
        raise ToolFailed(f"The pattern cannot be used: {ran.complaints[-300:] or 'ripgrep refused it'}")
    return ran


def _ripgrep_hits(ran: Ran) -> Iterator[_Hit]:
    for raw in ran.out.split(b"\n"):
        path, _, rest = raw.partition(b"\0")
        number, colon, text = rest.partition(b":")
        if colon and number.isdigit():
            yield _Hit(
                os.fsdecode(path).removeprefix("./"), int(number), _line(text.decode(errors="replace"))
            )


async def _by_our_program(folder: str, only: str, wanted: GrepSearch) -> Ran:
    paths: Iterable[str] = [only] if only else (await visible_files(folder)).paths
    if wanted.glob:
        paths = await asyncio.to_thread(_named, folder, paths, wanted.glob)
    task = {
        "pattern": wanted.pattern,
        "ignore_case": wanted.ignore_case,
        "most_hits": MOST_HITS + 1,
        "longest_line": LONGEST_LINE,
        "largest_file": _LARGEST_FILE,
        "paths": list(paths),
    }
    argv = [sys.executable, "-I", "-S", str(_PROGRAM)]
    given = json.dumps(task).encode()
    ran = await run(argv, folder, given=given, limit_bytes=_MOST_PRINTED, limit_seconds=SECONDS)
    if ran.code == 2:
        raise ToolFailed(f"The pattern cannot be used: {ran.complaints}.")
    if ran.code not in (0, None):
        raise ToolFailed("The search failed.")
    return ran


def _our_hits(ran: Ran) -> Iterator[_Hit]:
    *whole, _ = ran.out.split(b"\n")
    for raw in whole:
        path, line, text = json.loads(raw)
        yield _Hit(path, line, _line(text))


def _line(text: str) -> str:
    text = text.rstrip("\r\n")
    return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}…"
