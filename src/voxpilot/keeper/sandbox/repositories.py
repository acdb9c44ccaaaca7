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
_LARGEST = 1_000_000
_WORKTREE_SETTINGS = "worktreeconfig"
"""The setting that makes git read a second file of settings."""


def marks_for(root: str) -> Iterator[tuple[str, Literal["read", "write"]]]:
    """What to do with the repository of this folder."""
    git = os.path.join(root, ".git")
    if os.path.isdir(git) and not os.path.islink(git):
        yield from _guarded(git)
    elif os.path.isfile(git) and not os.path.islink(git):
        yield git, "read"
        if (found := _worktree(git)) is not None:
            own, common = found
            yield from _guarded(common)
            yield from _own_settings(own, common)


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
    yield from _own_settings(git, git)


def _own_settings(own: str, common: str) -> Iterator[tuple[str, Literal["read"]]]:
    """A worktree's settings of its own, which git reads if the repository's settings say so (sparse checkouts
    do); created if missing, because a missing file cannot be protected."""
    path = os.path.join(own, "config.worktree")
    if _WORKTREE_SETTINGS in _text(os.path.join(common, "config")).casefold():
        with suppress(OSError), open(path, "x"):
            pass
    if os.path.isfile(path) and not os.path.islink(path):
        yield path, "read"


def _worktree(git: str) -> tuple[str, str] | None:
    """The worktree's own folder and the main repository, if that too names this worktree: the file here could
    name any folder."""
    own = _line(git).removeprefix("gitdir:").strip()
    own = os.path.realpath(os.path.join(os.path.dirname(git), own))
    if os.path.realpath(_line(os.path.join(own, "gitdir"))) != git:
        return None
    common = os.path.realpath(os.path.join(own, _line(os.path.join(own, "commondir")) or "."))
    return (own, common) if os.path.dirname(own) == os.path.join(common, "worktrees") else None


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(_LARGEST)
    except OSError:
        return ""


def _line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(_LONGEST).rstrip("\n")
    except (OSError, ValueError):
        return ""
