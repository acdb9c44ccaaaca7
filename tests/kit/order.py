"""The order in which tests run, so that all workers have something to do until the end.

Lives here: which tests take long, and dealing them out. A worker first gets a contiguous part of the list;
later it takes tests from the end of another's part (`--dist worksteal`). So every part begins with long
tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
LONG = (
    "tests/real_agents/test_sessions.py",
    "tests/browser/screens/test_looks.py",
    "tests/survival/",
    "tests/attacks/folders/test_opened_folders.py",
    "tests/stories/sessions/test_long_talk.py",
    "tests/stories/sessions/test_streams.py",
    "tests/browser/screens/test_demo.py",
    "tests/real_agents/",
    "tests/browser/",
    "tests/stories/command_line/",
)
"""Where the long tests are, the longest first."""


def rank(name: str) -> int:
    """The place of a test's file in `LONG`; the length of the list if it is not there."""
    return next((place for place, start in enumerate(LONG) if name.startswith(start)), len(LONG))


def dealt(long: Sequence[T], short: Sequence[T], workers: int) -> list[T]:
    """One part for each worker, of the sizes that the scheduler will choose; each begins with long tests."""
    result: list[T] = []
    rest = list(short)
    left = len(long) + len(short)
    for worker in range(workers):
        size = left // (workers - worker)
        first = list(long[worker::workers])
        taken = max(0, size - len(first))
        result += first + rest[:taken]
        rest = rest[taken:]
        left -= size
    return result + rest
