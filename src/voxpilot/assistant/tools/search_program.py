"""A program that looks for lines in files: run by searching.py, ended when it takes too long.

It needs the standard library alone. The task comes as JSON on standard input; each hit
is printed as a JSON list, at once, so that what was found is kept if it is ended.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Iterator

BAD_PATTERN = 2


def main() -> int:
    task = json.loads(sys.stdin.read())
    try:
        pattern = re.compile(task["pattern"], re.IGNORECASE if task["ignore_case"] else 0)
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(str(error))
        return BAD_PATTERN
    left = task["most_hits"]
    for path in task["paths"]:
        for number, line in enumerate(lines_of(path, task["largest_file"]), 1):
            if pattern.search(line):
                sys.stdout.write(json.dumps([path, number, line[: task["longest_line"] + 1]]) + "\n")
                sys.stdout.flush()
                left -= 1
                if not left:
                    return 0
    return 0


def lines_of(path: str, largest: int) -> Iterator[str]:
    """The lines of an ordinary text file; of anything else none."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    with open(file, "rb") as opened:
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode) or about.st_size > largest:
            return
        data = opened.read()
    if b"\0" not in data[:8192]:
        yield from data.decode(errors="replace").split("\n")


if __name__ == "__main__":
    sys.exit(main())
