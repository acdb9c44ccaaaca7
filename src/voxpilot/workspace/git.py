"""Asking git about a chat's folder, without running anything that the folder names.

Lives here: the safe way to call it. A repository's own settings can name programs
(filters, hooks, pagers, monitors); none of them is run, and nothing is fetched or
written. Lives elsewhere: what is asked (listing.py, assistant/tools).
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from voxpilot.errors import VoxPilotError
from voxpilot.workspace.programs import Ran, run

SECONDS = 15.0
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
_PLAIN = (
    "core.fsmonitor=",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.quotePath=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "color.ui=never",
)
_FILTER = re.compile(rb"^filter\.(.+)\.(?:clean|smudge|process)$")
PLAIN_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty")
"""What commands that make diffs are given as well."""


class GitFailed(VoxPilotError):
    """Git could not say what was asked."""

    code = "git-failed"


async def git(folder: str, *args: str, given: bytes = b"", limit_bytes: int = 1_000_000) -> Ran:
    """Run git in a folder. Its failures are in what is returned; an error means there is no git."""
    return await _git(folder, await _without_filters(folder), args, given, limit_bytes)


async def git_or_fail(folder: str, *args: str, limit_bytes: int = 1_000_000) -> Ran:
    """The same, and an error unless it went well; being cut short is well enough."""
    await check_repository(folder)
    ran = await git(folder, *args, limit_bytes=limit_bytes)
    if ran.is_late:
        raise GitFailed("Git took too long.", "Ask for less, as for a single file.")
    if ran.code not in (0, None):
        raise GitFailed(_complaint(ran))
    return ran


async def is_repository(folder: str) -> bool:
    """Whether git keeps this folder, and nothing else instead of it."""
    try:
        ran = await _git(folder, (), ("rev-parse", "--show-toplevel"))
    except GitFailed:
        return False
    top = os.fsdecode(ran.out.rstrip(b"\n"))
    here = os.path.realpath(folder)
    return ran.code == 0 and (here == top or here.startswith(f"{top.rstrip('/')}/"))


async def check_repository(folder: str) -> None:
    if not await is_repository(folder):
        raise GitFailed("This folder is no git repository.")


async def _without_filters(folder: str) -> tuple[str, ...]:
    """Settings that put nothing in the place of each filter the repository's settings name."""
    ran = await _git(folder, (), ("config", "--null", "--name-only", "--get-regexp", r"^filter\."))
    names = {found[1] for line in ran.out.split(b"\0") if (found := _FILTER.match(line.strip()))}
    off = []
    for name in sorted(os.fsdecode(name) for name in names):
        off += [f"filter.{name}.{what}=" for what in ("clean", "smudge", "process")]
        off.append(f"filter.{name}.required=false")
    return tuple(off)


async def _git(
    folder: str,
    settings: Sequence[str],
    args: Sequence[str],
    given: bytes = b"",
    limit_bytes: int = 1_000_000,
) -> Ran:
    chosen = [word for setting in (*_PLAIN, *settings) for word in ("-c", setting)]
    argv = ["git", "--no-pager", *chosen, *args]
    try:
        return await run(
            argv, folder, env=_QUIET, given=given, limit_bytes=limit_bytes, limit_seconds=SECONDS
        )
    except OSError as error:
        raise GitFailed("Git cannot be run here.", "Install git.") from error


def _complaint(ran: Ran) -> str:
    first = ran.complaints.splitlines()[0] if ran.complaints else "Git did not say why"
    return f"{first.removeprefix('fatal: ').rstrip('.')[:300]}."
