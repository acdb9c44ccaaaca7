"""Differences and commits.

Lives here: `diff` and `show`. For a diff, two small trees are built that contain only what differs; git
compares them and never sees the folder. Lives elsewhere: the files on disk (work_files.py), the directory git
works in (view.py).
"""

from __future__ import annotations

import os
import sys
import time

from voxpilot.workspace.looker.repository import Bases, GitFailed, Repository, find
from voxpilot.workspace.looker.view import View
from voxpilot.workspace.looker.walking import MOST_FILES, Rules, add_rules, walk
from voxpilot.workspace.looker.work_files import (
    SUBMODULE,
    Entry,
    State,
    WorkFiles,
    files_in,
    is_below,
    is_plain,
    read_index,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]

_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none", "--submodule=short")
_NO_CHANGE = "Nothing has changed."
_MOST_NAMED = 50
_UNTRACKED_SECONDS = 5.0


def print_diff(bases: Bases, task: dict[str, Any]) -> None:
    """Compares index and disk, or HEAD and index, or a commit and disk, or two commits."""
    repository, view = _opened(bases, task)
    revision, where = task["revision"], task["where"]
    if ".." in revision:
        args = ("diff", *_PLAIN, *_relative(repository), "--end-of-options", revision)
        _print(_text(view.run(*args, "--", *_paths(repository, where), most=task["most"])) or _NO_CHANGE)
        return
    written = view.take_index()
    index = read_index(view, repository.prefix, where)
    staged = {path: (entry.mode, entry.hash) for path, entry in _chosen(index).items()}
    notes = [f"Not merged yet: {path}" for path in index if any(entry.stage for entry in index[path])]
    if task["staged"]:
        before, after = _committed(view, repository, revision or "HEAD", where), staged
    else:
        files = WorkFiles(view, bases, repository, bases.root(), written)
        after = files.states(index)
        before = _committed(view, repository, revision, where) if revision else staged
        notes += [f"Not shown: {reason}" for reason in files.left_out]
    text = _text(_compared(view, before, after, task["most"]))
    notes = [f"[{note}.]" for note in notes[:_MOST_NAMED]]
    if not task["staged"] and not revision:
        notes += _untracked(bases, repository, index, where)
    _print("\n".join([*([text.rstrip("\n")] if text else []), *notes]) or _NO_CHANGE)


def print_commit(bases: Bases, task: dict[str, Any]) -> None:
    """A commit with its changes, or a file as of that commit."""
    repository, view = _opened(bases, task)
    revision = task["revision"]
    if task["where"] != ".":
        named = f"{revision}^{{commit}}:{repository.prefix}{task['where']}"
        if not is_plain(task["where"]):
            raise GitFailed("Git does not track this path.")
        sys.stdout.buffer.write(
            view.run("show", "--no-textconv", "--end-of-options", named, most=task["most"])
        )
        return
    args = ("show", *_PLAIN, *_relative(repository), "--stat", "--patch", "--format=medium")
    commit = f"{revision}^{{commit}}"
    shown = view.run(
        *args,
        "--no-show-signature",
        "--end-of-options",
        commit,
        "--",
        *_paths(repository, "."),
        most=task["most"],
    )
    _print(_text(shown))


def _opened(bases: Bases, task: dict[str, Any]) -> tuple[Repository, View]:
    if not task["git"]:
        raise GitFailed("Git is not installed.", "Install git.")
    repository = find(bases, bases.roots[0])
    view = View(bases, repository, task["private"], task["git"])
    view.take_objects()
    return repository, view


def _relative(repository: Repository) -> tuple[str, ...]:
    return (f"--relative={repository.prefix}",) if repository.prefix else ()


def _paths(repository: Repository, where: str) -> tuple[str, ...]:
    """Arguments that limit git to a path; paths are taken literally."""
    path = repository.prefix if where == "." else f"{repository.prefix}{where}"
    return (path,) if path else ()


def _chosen(index: dict[str, list[Entry]]) -> dict[str, Entry]:
    """One entry per path: during a merge, our side of it."""
    chosen = {}
    for path, entries in index.items():
        ours = [entry for entry in entries if entry.stage in (0, 2) and not entry.is_placeholder]
        if ours:
            chosen[path] = ours[0]
    return chosen


def _committed(view: View, repository: Repository, revision: str, where: str) -> dict[str, State]:
    """The files of a commit below the root."""
    try:
        tree = _text(view.run("rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")).strip()
    except GitFailed as error:
        if revision == "HEAD" and not view.outside:
            return {}  # nothing is committed yet
        raise GitFailed(f"Unknown revision {revision!r}.") from error
    found = {}
    for raw, state in files_in(view, tree, *_paths(repository, ".")):
        path = os.fsdecode(raw)[len(repository.prefix) :]
        if path and is_below(path, where) and is_plain(path):
            found[path] = state
    return found


def _compared(view: View, before: dict[str, State], after: dict[str, State], most: int) -> bytes:
    differ = [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
    if not differ:
        return b""
    trees = [
        _write_tree(view, {path: states[path] for path in differ if path in states})
        for states in (before, after)
    ]
    return view.run("diff-tree", "-r", "-p", "-M", *_PLAIN, *trees, most=most)


def _write_tree(view: View, states: dict[str, State]) -> str:
    top: Tree = {}
    for path, state in states.items():
        *above, name = path.split("/")
        folder = top
        for part in above:
            below = folder.setdefault(part, {})
            folder = below if isinstance(below, dict) else folder
        folder[name] = state
    return _write_folder(view, top)


def _write_folder(view: View, folder: Tree) -> str:
    lines = []
    for name, what in folder.items():
        raw = os.fsencode(name)
        is_folder = isinstance(what, dict)
        mode, hash = ("40000", _write_folder(view, what)) if is_folder else what
        line = mode.encode() + b" " + raw + b"\0" + bytes.fromhex(hash)
        lines.append((raw + b"/" * is_folder, line))
    return view.write_object("tree", b"".join(line for _, line in sorted(lines)))


def _untracked(bases: Bases, repository: Repository, index: dict[str, list[Entry]], where: str) -> list[str]:
    root = bases.root()
    rules = Rules(root)
    add_rules(bases, repository.top, repository.prefix, repository.common, rules)
    kept = tuple(f"{path}/" for path, entries in index.items() if entries[0].mode == SUBMODULE)
    new: list[str] = []
    ends = time.monotonic() + _UNTRACKED_SECONDS
    for path in walk(root, "" if where == "." else where, rules, ends):
        if path not in index and not path.startswith(kept):
            new.append(path)
        if len(new) > MOST_FILES:
            break
    more = [f"and {len(new) - _MOST_NAMED:,} more"] if len(new) > _MOST_NAMED else []
    return [f"[New files, not yet tracked: {', '.join([*sorted(new)[:_MOST_NAMED], *more])}]"] if new else []


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _print(text: str) -> None:
    sys.stdout.buffer.write(text.encode(errors="surrogateescape"))
    sys.stdout.buffer.flush()
