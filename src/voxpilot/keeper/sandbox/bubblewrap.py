"""A view as arguments for bubblewrap.

Lives here: which options carry out which marks. Lives elsewhere: deciding them (view.py), whether
bubblewrap can be used here (available.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from voxpilot.keeper.sandbox.view import View

TEMPORARY = "{tmp}"
"""Stands for the private folder for temporary files, which the keeper creates."""
FOLDER = "{cwd}"
ENVIRONMENT = "{env}"
"""Stands for a file with the program's variables."""

_ALWAYS = (
    "--die-with-parent", "--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
    "--unshare-cgroup-try", "--cap-drop", "ALL",
)  # fmt: skip
"""No new session: none of the person's terminals can be reached, and a sign-in needs its own terminal."""

_KERNEL = ("--dev", "/dev", "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--proc", "/proc")
_FOR_ROOT = ("sys", "sysrq-trigger", "irq", "bus", "fs", "scsi", "mtrr", "acpi", "driver")
"""What root may write to without any capability. While they are covered, an agent cannot mount a /proc."""


def arguments(view: View, network: bool) -> list[str]:
    """Everything except the program and its arguments."""
    found = ["--args", ENVIRONMENT, *_ALWAYS, *(() if network else ("--unshare-net",))]
    entries = [(_depth(path), path) for path in {**view.marks, **view.links}]
    for _, path in sorted(entries):
        found += _option(view, path)
        if path == "/":
            found += [*_KERNEL, *_covers()]
    # A folder built from parts cannot be written to; the data would be lost.
    empty = [path for path, mark in view.marks.items() if mark == "empty"]
    for path in sorted(empty, key=_depth, reverse=True):
        found += ["--remount-ro", path]
    return [*found, "--chdir", FOLDER, "--"]


def _option(view: View, path: str) -> Iterator[str]:
    if path in view.links:
        yield from ("--symlink", view.links[path], path)
        return
    match view.marks[path]:
        case "read":
            yield from ("--ro-bind-try", path, path)
        case "write":
            yield from ("--bind-try", path, path)
        case "temporary":
            yield from ("--bind", TEMPORARY, path)
        case "covered":
            yield from ("--ro-bind", "/dev/null", path)
        case "empty" if path != "/":
            yield from ("--tmpfs", path)


def _depth(path: str) -> int:
    return 0 if path == "/" else path.count("/")


def _covers() -> Iterator[str]:
    if os.geteuid() == 0:
        for name in _FOR_ROOT:
            yield from ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}")
