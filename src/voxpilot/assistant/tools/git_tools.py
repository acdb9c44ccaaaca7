"""Git tools: `git_diff` and `git_show`.

Lives here: their arguments, checked so that none can be an option or a path
outside. Lives elsewhere: asking git safely (workspace/looker).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from voxpilot.assistant.tools.outcome import (
    MOST_SHOWN,
    Arguments,
    ToolFailed,
    ToolResult,
    full_path,
    result,
    size_of,
)
from voxpilot.threads import look_at
from voxpilot.workspace.folder import place_in
from voxpilot.workspace.looking import look

Revision = Annotated[str, Field(max_length=200, pattern=r"^[\w@][\w./@{}~^+-]*$")]
"""A name, a hash, `HEAD~2` or `a..b`. This excludes options and the form `rev:path`."""
_MORE = "Ask for a single path."
SECONDS = 30.0


class GitDiff(Arguments):
    staged: Annotated[bool, Field(description="Show staged changes instead of changes on disk.")] = False
    revision: Annotated[
        Revision | None, Field(description="Compare with this commit, or compare two commits with `a..b`.")
    ] = None
    path: Annotated[str, Field(description="Only this file or folder.")] = ""


class GitShow(Arguments):
    revision: Annotated[Revision, Field(description="A commit, such as `HEAD` or a hash.")] = "HEAD"
    path: Annotated[
        str, Field(description="Show this file as of that commit instead of the commit itself.")
    ] = ""


async def git_diff(roots: Sequence[str], wanted: GitDiff, trusted: Sequence[str]) -> ToolResult:
    task = {"staged": wanted.staged, "revision": wanted.revision or ""}
    return result(_text(await _ask("diff", roots, trusted, wanted.path, **task)), _MORE)


async def git_show(roots: Sequence[str], wanted: GitShow, trusted: Sequence[str]) -> ToolResult:
    shown = await _ask("show", roots, trusted, wanted.path, revision=wanted.revision)
    if not wanted.path:
        return result(_text(shown) or "The commit changes nothing in this folder.", _MORE)
    if b"\0" in shown[:8192]:
        return result(
            f"{wanted.path} was not a text file in that commit ({size_of(len(shown))}), so it is not shown."
        )
    return result(_text(shown) or f"{wanted.path} was empty in that commit.")


async def _ask(do: str, roots: Sequence[str], trusted: Sequence[str], path: str, **task: Any) -> bytes:
    full = full_path(roots, path)
    where = (await look_at((full, roots[0]), place_in, roots[:1], full)).inner
    most = MOST_SHOWN * 4
    ran = await look(
        do, roots, trusted, limit_bytes=most, limit_seconds=SECONDS, where=where, most=most, **task
    )
    if ran.is_late:
        raise ToolFailed("Git took too long.", "Ask for less, for example a single file.")
    return ran.out


def _text(shown: bytes) -> str:
    return shown.decode(errors="replace")
