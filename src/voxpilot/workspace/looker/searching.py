"""Finding lines in files.

Lives here: opening each file and matching its lines. Each match is printed immediately as a JSON list, so
that earlier matches are kept if the program is killed. Lives elsewhere: which files (walking.py).
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys

from voxpilot.errors import Invalid
from voxpilot.workspace.looker.repository import Bases
from voxpilot.workspace.looker.walking import visible
from voxpilot.workspace.looker.work_files import Descent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_TO_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def print_hits(bases: Bases, task: dict[str, Any]) -> None:
    """`[path, line number, line]` for each line that matches the pattern, up to a limit."""
    try:
        pattern = re.compile(task["pattern"], re.IGNORECASE if task["ignore_case"] else 0)
    except (re.error, RecursionError, OverflowError) as error:
        raise Invalid(f"The pattern cannot be used: {error}.") from error
    paths = [task["only"]] if task["only"] else visible(bases, task)[0]
    inner = "" if task["inner"] == "." else f"{task['inner']}/"
    descent = Descent(bases.root(task["root"]))
    left = task["most_hits"]
    for path in paths:
        for number, line in enumerate(_lines(descent, f"{inner}{path}", task["largest_file"]), 1):
            if pattern.search(line):
                sys.stdout.write(json.dumps([path, number, line[: task["longest_line"] + 1]]) + "\n")
                sys.stdout.flush()
                left -= 1
                if not left:
                    return


def _lines(descent: Descent, path: str, largest: int) -> Iterator[str]:
    """The lines of a regular text file without further hard links; nothing for anything else."""
    inner, _, name = path.rpartition("/")
    folder = descent.folder(inner)
    try:
        file = -1 if folder is None else os.open(name, _TO_READ, dir_fd=folder)
    except OSError:
        file = -1
    if file < 0:
        return
    with open(file, "rb") as opened:
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1 or about.st_size > largest:
            return
        data = opened.read(largest + 1)
    if b"\0" not in data[:8192]:
        yield from data.decode(errors="replace").split("\n")
