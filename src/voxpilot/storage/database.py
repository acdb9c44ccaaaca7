"""One SQLite file: one thread that writes, a few that read.

Lives here: opening the file, committing batches in groups, reading off the
event loop. A batch waits for the disk but never for other batches: whatever is
waiting when the writer comes back goes into one transaction. Lives elsewhere:
what is written (ledger.py, access.py), the tables (migrations/).
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from voxpilot.errors import OutOfFiles, StorageFull, VoxPilotError
from voxpilot.killpoints import reach
from voxpilot.storage.tables import Statement

T = TypeVar("T")
READERS = 3


class StorageFailed(VoxPilotError):
    """The database refused a write for a reason other than a full disk."""

    code = "storage-failed"


@dataclass(slots=True)
class Batch:
    """All that one step changes: written together or not at all."""

    statements: list[Statement] = field(default_factory=list)
    many: list[tuple[str, list[tuple[Any, ...]]]] = field(default_factory=list)
    """Statements with many parameter rows, run after the others."""


@dataclass(slots=True)
class _Waiting:
    batch: Batch
    done: Callable[[BaseException | None], object]


class Database:
    """Use as `async with Database(path)`; the tables must be up to date (migrate.py)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._local = threading.local()
        self._readers = ThreadPoolExecutor(READERS, "reader")
        self._writer = threading.Thread(target=self._write_forever, name="writer", daemon=True)

    async def __aenter__(self) -> Database:
        # Before anybody reads: to be the first to open a file is to set its mode, and that waits for nobody.
        self._connection = connect(self.path)
        self._writer.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._queue.put(None)
        await asyncio.to_thread(self._writer.join)
        self._readers.shutdown()

    async def commit(self, batch: Batch) -> None:
        """On disk when this returns. Raises StorageFull, OutOfFiles or StorageFailed: nothing has changed."""
        loop = asyncio.get_running_loop()
        committed: asyncio.Future[None] = loop.create_future()

        def settle(error: BaseException | None) -> None:
            if committed.done():
                return
            if error is None:
                committed.set_result(None)
            else:
                committed.set_exception(error)

        self._queue.put(_Waiting(batch, lambda error: loop.call_soon_threadsafe(settle, error)))
        await committed

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a read in a reader's thread; it sees everything committed so far. Raises OutOfFiles."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._run_read, work)

    async def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return await self.read(lambda connection: connection.execute(sql, parameters).fetchall())

    def _run_read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connected()
            connection.execute("PRAGMA query_only = ON")
            self._local.connection = connection
        return work(connection)

    def _connected(self) -> sqlite3.Connection:
        try:
            return connect(self.path)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CANTOPEN:
                raise OutOfFiles from error
            raise

    def _write_forever(self) -> None:
        connection = self._connection
        while (first := self._queue.get()) is not None:
            group = [first]
            while not self._queue.empty():
                following = self._queue.get()
                if following is None:
                    self._queue.put(None)
                    break
                group.append(following)
            for waiting, error in zip(group, _write_group(connection, group), strict=True):
                waiting.done(error)
            del first, group, waiting  # may be large, and the next may be long in coming
        connection.close()


def connect(path: Path) -> sqlite3.Connection:
    """A connection with our settings: WAL, and synchronous FULL so that what was acknowledged survives."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=10, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_size_limit = 67108864")
    return connection


def _write_group(connection: sqlite3.Connection, group: list[_Waiting]) -> list[BaseException | None]:
    """Write all batches in one transaction; one that fails takes only itself back."""
    errors: list[BaseException | None] = [None] * len(group)
    try:
        reach("before-commit")
        connection.execute("BEGIN IMMEDIATE")
        for number, waiting in enumerate(group):
            errors[number] = _write_one(connection, waiting.batch)
        reach("inside-transaction")
        connection.execute("COMMIT")
    except Exception as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        return [_explain(error)] * len(group)
    return errors


def _write_one(connection: sqlite3.Connection, batch: Batch) -> BaseException | None:
    connection.execute("SAVEPOINT one")
    try:
        for sql, parameters in batch.statements:
            connection.execute(sql, parameters)
        for sql, many in batch.many:
            connection.executemany(sql, many)
    except Exception as error:  # also what cannot be stored at all: the writer outlives it
        if not connection.in_transaction:  # a full disk ends the whole transaction
            raise
        connection.execute("ROLLBACK TO one")
        connection.execute("RELEASE one")
        return _explain(error)
    connection.execute("RELEASE one")
    return None


def _explain(error: Exception) -> VoxPilotError:
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and code & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return StorageFull()
    if code is not None and code & 0xFF == sqlite3.SQLITE_CANTOPEN:  # the file itself is open
        return OutOfFiles()
    return StorageFailed(f"The database refused a write: {error}.", "See the server's log.")
