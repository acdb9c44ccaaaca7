"""The tasks of the looker: one task per run, read from standard input.

Lives here: the format of a task, and reporting failures. Lives elsewhere: what each task does (the other
modules here), the caller (../looking.py).
"""

from __future__ import annotations

import json
import os
import resource
import sys

from voxpilot.errors import VoxPilotError
from voxpilot.workspace.looker import history, searching, walking
from voxpilot.workspace.looker.repository import Bases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_MOST_MEMORY = 3 << 30
FAILED = 3
"""The exit status when standard error holds the reason as JSON."""


def main() -> NoReturn:
    """Run the task and exit; the result is on standard output."""
    task = json.loads(sys.stdin.buffer.read())
    _set_limits()
    try:
        _do(task)
        sys.stdout.flush()
        status = 0
    except VoxPilotError as error:
        sys.stderr.write(json.dumps([error.message, error.hint, error.code]))
        status = FAILED
    except BrokenPipeError:
        status = 0  # the reader has enough
    sys.stderr.flush()
    os._exit(status)


def _do(task: dict[str, Any]) -> None:
    bases = Bases(task["roots"], task["trusted"])
    os.close(bases.root(task.get("root", 0)))  # to say so if it is not the folder that was chosen
    match task["do"]:
        case "files":
            walking.print_files(bases, task)
        case "grep":
            searching.print_hits(bases, task)
        case "diff":
            history.print_diff(bases, task)
        case "show":
            history.print_commit(bases, task)
        case other:
            raise VoxPilotError(f"Unknown task {other!r}.")


def _set_limits() -> None:
    """Git gets every object as an open file, and whatever it unpacks must fit into memory."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 1_000_000 if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    for what, limit in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_DATA, _MOST_MEMORY)):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
