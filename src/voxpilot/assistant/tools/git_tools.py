"""What git knows of the workspace: `git_diff` and `git_show`.

Lives here: their arguments, checked so that none can be an option or a path
outside. Lives elsewhere: calling git safely (workspace/git.py).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from voxpilot.assistant.tools.outcome import MOST_SHOWN, Arguments, ToolResult, full_path, result, size_of
from voxpilot.workspace.folder import place_in
from voxpilot.workspace.git import PLAIN_DIFF, git_or_fail

Revision = Annotated[str, Field(max_length=200, pattern=r"^[\w@][\w./@{}~^+-]*$")]
"""A name, a hash, `HEAD~2` or `a..b`. No option begins like this, and `rev:path` is written otherwise."""
_MORE = "Ask for a single path."
_MOST_UNTRACKED = 50


class GitDiff(Arguments):
    staged: Annotated[bool, Field(description="What is staged for the next commit, not what is on disk.")] = (
        False
    )
    revision: Annotated[Revision | None, Field(description="Compare with this commit, or two as `a..b`.")] = (
        None
    )
    path: Annotated[str, Field(description="Only this file or folder.")] = ""


class GitShow(Arguments):
    revision: Annotated[Revision, Field(description="A commit, as `HEAD` or a hash.")] = "HEAD"
    path: Annotated[str, Field(description="Show this file as it was then, instead of the commit.")] = ""


async def git_diff(roots: Sequence[str], wanted: GitDiff) -> ToolResult:
    where = _inner(roots, wanted.path)
    args = ["diff", *PLAIN_DIFF, "--relative", *["--cached"] * wanted.staged]
    args += ["--end-of-options", wanted.revision] if wanted.revision else []
    ran = await git_or_fail(roots[0], *args, "--", _spec(where), limit_bytes=MOST_SHOWN * 2)
    text = ran.out.decode(errors="replace")
    new = "" if wanted.staged or wanted.revision else await _untracked(roots[0], where)
    return result(
        "\n".join(part for part in (text.rstrip("\n"), new) if part) or "Nothing has changed.", _MORE
    )


async def git_show(roots: Sequence[str], wanted: GitShow) -> ToolResult:
    if wanted.path:
        return await _file_then(roots, wanted)
    args = ["show", *PLAIN_DIFF, "--relative", "--stat", "--patch", "--format=medium", "--no-show-signature"]
    ran = await git_or_fail(
        roots[0], *args, "--end-of-options", wanted.revision, "--", _spec("."), limit_bytes=MOST_SHOWN * 2
    )
    return result(ran.out.decode(errors="replace") or "It changes nothing in this folder.", _MORE)


async def _file_then(roots: Sequence[str], wanted: GitShow) -> ToolResult:
    named = f"{wanted.revision}:./{_inner(roots, wanted.path)}"
    args = ("show", "--no-textconv", "--end-of-options", named)
    ran = await git_or_fail(roots[0], *args, limit_bytes=MOST_SHOWN * 4)
    if b"\0" in ran.out[:8192]:
        return result(f"{wanted.path} was no text file then ({size_of(len(ran.out))}); it is not shown.")
    return result(ran.out.decode(errors="replace") or f"{wanted.path} was empty then.")


async def _untracked(folder: str, where: str) -> str:
    args = ("ls-files", "-z", "--others", "--exclude-standard", "--", _spec(where))
    ran = await git_or_fail(folder, *args)
    paths = [os.fsdecode(path) for path in ran.out.split(b"\0") if path]
    more = [f"and {len(paths) - _MOST_UNTRACKED:,} more"] if len(paths) > _MOST_UNTRACKED else []
    return f"[New files, not yet tracked: {', '.join([*paths[:_MOST_UNTRACKED], *more])}]" if paths else ""


def _inner(roots: Sequence[str], path: str) -> str:
    return place_in(roots[:1], full_path(roots, path)).inner


def _spec(inner: str) -> str:
    return f":(literal){inner}"
