"""Looking into a chat's folders with a separate program of ours.

Lives here: starting it with a task, and reporting its failures. Its working directory is
private and empty, never one of the chat's. Lives elsewhere: the program (looker/).
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from voxpilot import search_path
from voxpilot.errors import VoxPilotError
from voxpilot.threads import NotResponding, look_at
from voxpilot.workspace.folder import Place
from voxpilot.workspace.programs import Ran, run

log = logging.getLogger(__name__)
FAILED = 3
"""The exit status when standard error holds the reason as JSON."""
_PROGRAM = Path(__file__).parent / "looker" / "__main__.py"


async def look(
    do: str,
    roots: Sequence[str],
    trusted: Sequence[str],
    *,
    limit_bytes: int,
    limit_seconds: float,
    place: Place | None = None,
    **task: Any,
) -> Ran:
    """Run a task in the chat's roots. A truncated result is not a failure.

    `trusted` names folders that a person trusts: the repository that contains a root may be there.
    """
    git = await _find_git(roots, limit_seconds)
    private = await asyncio.to_thread(tempfile.mkdtemp, prefix="voxpilot-look-")
    if place is not None:
        task |= {"root": list(roots).index(place.root), "inner": place.inner}
    given = {"do": do, "roots": list(roots), "trusted": list(trusted), "private": private, "git": git, **task}
    try:
        ran = await run(
            [sys.executable, "-I", "-S", str(_PROGRAM)],
            private,
            given=json.dumps(given).encode(),
            limit_bytes=limit_bytes,
            limit_seconds=limit_seconds,
        )
    finally:
        await asyncio.shield(asyncio.to_thread(shutil.rmtree, private, ignore_errors=True))
    if ran.code == FAILED:
        raise _failure(*json.loads(ran.complaints))
    if ran.code not in (0, None):
        log.warning("looking into a folder failed: %s", ran.complaints[-2000:])
        raise VoxPilotError("The files could not be read.")
    return ran


async def _find_git(roots: Sequence[str], limit_seconds: float) -> str | None:
    try:
        async with asyncio.timeout(limit_seconds):
            return await look_at(roots, search_path.find_program, "git", os.environ.get("PATH"), roots)
    except TimeoutError:
        raise NotResponding(roots[0]) from None


def _failure(message: str, hint: str, code: str) -> VoxPilotError:
    error = VoxPilotError(message, hint)
    error.code = code
    return error
