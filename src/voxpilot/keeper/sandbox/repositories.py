"""Git repositories in a folder that a sandboxed program may write to.

Lives here: which parts of one it may not write to, since git runs what they name when a person uses it later,
outside the sandbox; and the repository that a linked worktree needs. Lives elsewhere: the view (view.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Literal

_LONGEST = 4096


def marks_for(root: str) -> Iterator[tuple[str, Literal["read", "write"]]]:
    """What to do with the repository of this folder."""
    git = os.path.join(root, ".git")
    if os.path.isdir(git) and not os.path.islink(git):
        yield from _guarded(git)
    elif os.path.isfile(git) and not os.path.islink(git):
        yield git, "read"
        if common := _common_of_worktree(git):
            yield from _guarded(common)


def _guarded(git: str) -> Iterator[tuple[str, Literal["read", "write"]]]:
    """The folder becomes a separate mount, so that nobody can move it away and replace it."""
    hooks, config = os.path.join(git, "hooks"), os.path.join(git, "config")
    if not os.path.isfile(config):
        return
    with suppress(OSError):
        os.makedirs(hooks, exist_ok=True)
    yield git, "write"
    for path in (hooks, config):
        if os.path.exists(path) and not os.path.islink(path):
            yield path, "read"


def _common_of_worktree(git: str) -> str | None:
    """The main repository, if it too names this worktree: the file here could name any folder."""
    own = _line(git).removeprefix("gitdir:").strip()
    own = os.path.realpath(os.path.join(os.path.dirname(git), own))
    if os.path.realpath(_line(os.path.join(own, "gitdir"))) != git:
        return None
    common = os.path.realpath(os.path.join(own, _line(os.path.join(own, "commondir")) or "."))
    return common if os.path.dirname(own) == os.path.join(common, "worktrees") else None


def _line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(_LONGEST).rstrip("\n")
    except (OSError, ValueError):
        return ""
