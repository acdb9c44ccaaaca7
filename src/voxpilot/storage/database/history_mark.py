"""The identity of a database's history, and how many transactions it holds.

Lives here: the row with both, and the mark next to the file that remembers the count. A database that
holds fewer transactions than its mark has lost some: its write-ahead log was deleted. Lives elsewhere: what
is done about it (opening.py), counting (sqlite.py).
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections import deque
from pathlib import Path

from voxpilot.values import dataclass

COUNT = "UPDATE history SET commits = commits + 1"
SETTLED_SECONDS = 5.0
"""A file-by-file copy of a running server's directory may contain a mark that is newer than its log."""


@dataclass(frozen=True, slots=True)
class History:
    id: str
    commits: int


def history_of(connection: sqlite3.Connection) -> History | None:
    """None for a database of an earlier version."""
    known = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'history'").fetchone()
    found = connection.execute("SELECT id, commits FROM history").fetchone() if known else None
    return History(*found) if found else None


def begin_another(connection: sqlite3.Connection) -> None:
    """From now on, readers of this database have to start over."""
    connection.execute("UPDATE history SET id = lower(hex(randomblob(8)))")


def mark_of(database: Path) -> Path:
    return database.with_suffix(".mark")


@dataclass(frozen=True, slots=True)
class Marked:
    """The contents of a mark."""

    id: str
    commits: int
    settled: int
    """How many transactions there were some seconds before the last one, or when none followed it."""


def read_mark(database: Path) -> Marked | None:
    try:
        id, commits, settled = mark_of(database).read_text().split()
        return Marked(id, int(commits), int(settled))
    except (OSError, ValueError):
        return None


class Mark:
    """An open mark. It is not synced: it protects against a lost file, not against a crash of the machine."""

    def __init__(self, database: Path) -> None:
        self._file = os.open(mark_of(database), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._noted: deque[tuple[float, History]] = deque()

    def note(self, history: History) -> None:
        now = time.monotonic()
        self._noted.append((now, history))
        while len(self._noted) > 1 and self._noted[1][0] <= now - SETTLED_SECONDS:
            self._noted.popleft()
        first = self._noted[0]
        self._write(history, first[1].commits if first[0] <= now - SETTLED_SECONDS else 0)

    def settle(self) -> None:
        """Nothing was committed for some seconds, or nothing will be."""
        if self._noted:
            last = self._noted[-1][1]
            self._write(last, last.commits)

    def close(self) -> None:
        try:
            self.settle()
        finally:
            os.close(self._file)

    def _write(self, history: History, settled: int) -> None:
        os.pwrite(self._file, f"{history.id} {history.commits:020d} {settled:020d}\n".encode(), 0)
