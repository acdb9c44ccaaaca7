"""The database without its threads and without waiting for the disk.

Lives here: the same file, tables and statements, used from the loop's own thread. Lives elsewhere: that what
was acknowledged survives a crash of the machine (tests/storage, tests/survival).
"""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TypeVar

from voxpilot.storage.database import sqlite
from voxpilot.storage.database.history_mark import history_of
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.sqlite import Batch, Database

T = TypeVar("T")


class MemoryDatabase(Database):
    async def __aenter__(self) -> MemoryDatabase:
        self._connection = _fast(sqlite.connect(self.path))
        self._stat = os.stat(self.path)
        found = history_of(self._connection)
        self.history = found.id if found is not None else ""
        self._local.connection = _fast(sqlite.connect(self.path))
        self._local.connection.execute("PRAGMA query_only = ON")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._connection.close()
        self._local.connection.close()

    async def commit(self, batch: Batch) -> None:
        await asyncio.sleep(0)  # others get their turn, as they do while a disk writes
        waiting = sqlite._Waiting(batch, lambda error: None)
        [error] = sqlite._write_group(self._connection, [waiting], self.path, None)
        if error is not None:
            raise error

    async def read(
        self, work: Callable[[sqlite3.Connection], T], patient: bool = False, is_long: bool = False
    ) -> T:
        await asyncio.sleep(0)
        return self._run_read(work)


def new_database(path: Path) -> None:
    """A database with all tables, copied because making them takes longer than most tests."""
    if not path.exists():
        shutil.copyfile(_template(), path)
        path.chmod(0o600)


@cache
def _template() -> Path:
    folder = Path(mkdtemp(prefix="voxpilot-tables-"))
    atexit.register(shutil.rmtree, folder)
    path = folder / "voxpilot.db"
    migrate(path)
    with sqlite.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path


def _fast(connection: sqlite3.Connection) -> sqlite3.Connection:
    with suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA synchronous = OFF")
    return connection
