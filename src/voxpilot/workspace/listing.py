"""Which files of a folder are shown: all except those that its ignore files match.

Lives here: asking for the list, and about single paths. Links are listed and never
followed. Lives elsewhere: the walk (looker/walking.py), reading files (files.py).
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

from voxpilot.threads import look_at
from voxpilot.values import dataclass
from voxpilot.workspace.folder import Place, root_of
from voxpilot.workspace.looker.walking import Rules
from voxpilot.workspace.looking import look

SECONDS = 20.0
_MOST_BYTES = 32_000_000
_IGNORE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Listing:
    paths: tuple[str, ...]
    """Relative to the folder, in order."""
    is_cut: bool = False
    """There are more."""


async def visible_files(
    roots: Sequence[str], place: Place, trusted: Sequence[str] = (), glob: str = ""
) -> Listing:
    """All files below a folder of a root that are shown, or only those whose names match."""
    ran = await look(
        "files",
        roots,
        trusted,
        limit_bytes=_MOST_BYTES,
        limit_seconds=SECONDS,
        place=place,
        glob=glob,
    )
    if ran.code is None:
        return Listing((), is_cut=True)
    found = json.loads(ran.out)
    return Listing(tuple(found["paths"]), found["is_cut"])


async def ignored(place: Place, names: Sequence[tuple[str, bool]]) -> set[str]:
    """Those of these paths below a root that its ignore files match; each has a flag for folders.

    No program is run for this, so a file that git tracks although it is ignored is included too.
    """
    return await look_at(place.path, _ignored, place, names)


def _ignored(place: Place, names: Sequence[tuple[str, bool]]) -> set[str]:
    with root_of(place) as root:
        rules = Rules(root)
        ends = time.monotonic() + _IGNORE_SECONDS
        found = set()
        for path, is_folder in names:
            if time.monotonic() > ends:
                break  # an ignore file with expensive patterns: the rest is shown
            if rules.ignore(path, is_folder):
                found.add(path)
        return found
