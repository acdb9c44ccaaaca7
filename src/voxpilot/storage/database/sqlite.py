"""One SQLite file: one thread that writes, a few that read.

Lives here: opening the file, committing batches in groups, reading off the
event loop. A batch waits for the disk but never for other batches: all batches that are waiting when the
writer is free go into one transaction. Lives elsewhere: what is written (chats/ledger.py,
across_chats/access.py), the tables (migrations/).
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from voxpilot import locked_files
from voxpilot.errors import explained, is_machines_fault
from voxpilot.killpoints import reach
from voxpilot.storage.database.history_mark import COUNT, SETTLED_SECONDS, History, Mark, history_of
from voxpilot.storage.database.tables import Statement
from voxpilot.storage.database.trouble import explain, is_in_place

log = logging.getLogger(__name__)
T = TypeVar("T")
Connection = sqlite3.Connection
"""The argument of a read, for packages that do not use SQL."""
READERS = 3
LONG_READERS = 2
BUSY_SECONDS = 5.0
"""How long a statement waits for another program that has locked the file."""
RETRY_SECONDS = 1.0
_MARK_FAILED = "the mark next to the database could not be written"


@dataclass(slots=True)
class Batch:
    """Everything that one step changes: written together or not at all."""

    statements: list[Statement] = field(default_factory=list)
    many: list[tuple[str, list[tuple[Any, ...]]]] = field(default_factory=list)
    """Statements with many parameter rows, run after the others."""


@dataclass(slots=True)
class _Waiting:
    batch: Batch
    done: Callable[[BaseException | None], object]


class Database:
    """Use as `async with Database(path)`; the tables must be up to date (migrate.py).

    At the end, a copy is saved if the file was deleted or replaced.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.history = ""
        """The identity of its history; none for a file without our tables."""
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        """Those of the readers."""
        self._mark: Mark | None = None
        self._readers = ThreadPoolExecutor(READERS, "reader")
        self._long_readers = ThreadPoolExecutor(LONG_READERS, "long-reader")
        self._writer = threading.Thread(target=self._write_forever, name="writer", daemon=True)

    async def __aenter__(self) -> Database:
        # The first connection switches to WAL, which ignores the busy timeout, so open it before any reader.
        self._connection = connect(self.path)
        self._stat = os.fstat(locked_files.hold(str(self.path)))
        self._folder_stat = os.stat(self.path.parent)
        found = history_of(self._connection)
        if found is not None:
            self.history = found.id
            self._mark = Mark(self.path)
            self._mark.note(found)
        self._writer.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._queue.put(None)
        await asyncio.to_thread(self._writer.join)
        self._readers.shutdown()
        self._long_readers.shutdown()
        for connection in self._connections:
            connection.close()
        locked_files.release(str(self.path))
        if self._mark is not None:
            _try(_MARK_FAILED, self._mark.close)

    def is_in_place(self) -> bool:
        """Whether the file of this name is the one that is open."""
        return is_in_place(self.path, self._stat)

    async def commit(self, batch: Batch) -> None:
        """On disk when this returns. Raises what trouble.py explains; then nothing has changed."""
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

    async def read(
        self, work: Callable[[sqlite3.Connection], T], patient: bool = False, is_long: bool = False
    ) -> T:
        """Run a read in a reader thread; its statements see one consistent, committed state.

        Long reads have their own threads, so that others need not wait for them. Raises what
        storage/database/trouble.py explains; a patient reader waits until temporary trouble is over.
        """
        while True:
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    self._long_readers if is_long else self._readers, self._run_read, work
                )
            except Exception as error:
                if not (patient and is_machines_fault(error)):
                    raise
                log.warning("a read is waiting: %s", error)
            await asyncio.sleep(RETRY_SECONDS)

    async def rows(
        self, sql: str, parameters: Sequence[Any] = (), patient: bool = False
    ) -> list[tuple[Any, ...]]:
        return await self.read(lambda connection: connection.execute(sql, parameters).fetchall(), patient)

    def _run_read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = connect(self.path)
                self._connections.append(connection)
                connection.execute("PRAGMA query_only = ON")
                self._local.connection = connection
            with _one_state(connection):
                return work(connection)
        except (sqlite3.Error, OSError, MemoryError) as error:
            raise explain(error, self.path) from error

    def _write_forever(self) -> None:
        connection = self._connection
        while (first := self._next()) is not None:
            group = [first]
            while not self._queue.empty():
                following = self._queue.get()
                if following is None:
                    self._queue.put(None)
                    break
                group.append(following)
            errors = _written(connection, group, self.path, self._mark)
            for waiting, error in zip(group, errors, strict=True):
                _try("a commit could not be reported", partial(waiting.done, error))
            del (
                first,
                group,
                waiting,
                errors,
                error,
            )  # may be large, and the next one may not come for a long time
        # If the whole directory was moved, the file is still in it.
        if not self.is_in_place() and is_in_place(self.path.parent, self._folder_stat):
            _save_removed(connection, self.path)
        connection.close()

    def _next(self) -> _Waiting | None:
        try:
            return self._queue.get(timeout=SETTLED_SECONDS)
        except Empty:
            if self._mark is not None:
                _try(_MARK_FAILED, self._mark.settle)
            return self._queue.get()


def connect(path: Path) -> sqlite3.Connection:
    """A connection with our settings: WAL, and synchronous FULL so that what was acknowledged survives."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_size_limit = 67108864")
    return connection


def read_only(path: Path) -> sqlite3.Connection:
    """For everybody but the server: any other connection that is closed last moves the log into the file and
    deletes it, including changes behind a damaged frame that SQLite ignores."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=BUSY_SECONDS
    )


def _save_removed(connection: sqlite3.Connection, path: Path) -> None:
    """SQLite can still read the file that was open."""
    try:
        log.critical("the contents of the removed database are in %s", back_up(connection, path, "removed"))
    except Exception as error:
        log.critical("the contents of the removed database could not be copied: %s", error)


@contextmanager
def _one_state(connection: sqlite3.Connection) -> Iterator[None]:
    """All statements in the block see the database as of the first one."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _written(
    connection: sqlite3.Connection, group: list[_Waiting], path: Path, mark: Mark | None
) -> list[BaseException | None]:
    """Never raises: without its thread, every later commit would wait forever."""
    try:
        return _write_group(connection, group, path, mark)
    except Exception as error:  # even explaining an error needs memory
        _roll_back(connection)
        return [explained(error)] * len(group)


def _write_group(
    connection: sqlite3.Connection, group: list[_Waiting], path: Path, mark: Mark | None
) -> list[BaseException | None]:
    """Write all batches in one transaction; a batch that fails is rolled back alone."""
    errors: list[BaseException | None] = [None] * len(group)
    try:
        reach("before-commit")
        connection.execute("BEGIN IMMEDIATE")
        for number, waiting in enumerate(group):
            errors[number] = _write_one(connection, waiting.batch, path)
        reach("inside-transaction")
        history = _count(connection) if mark is not None else None
        connection.execute("COMMIT")
    except Exception as error:
        _roll_back(connection)
        why = explain(error, path)
        if len(group) == 1 or why.is_momentary:
            return [why] * len(group)
        # One of them may have hit a damaged page; the others must not fail because of it.
        return [found for waiting in group for found in _written(connection, [waiting], path, mark)]
    if mark is not None and history is not None:
        _try(_MARK_FAILED, partial(mark.note, history))
    return errors


def _write_one(connection: sqlite3.Connection, batch: Batch, path: Path) -> BaseException | None:
    connection.execute("SAVEPOINT one")
    try:
        for sql, parameters in batch.statements:
            connection.execute(sql, parameters)
        for sql, many in batch.many:
            connection.executemany(sql, many)
    except Exception as error:  # including values that cannot be stored at all: the writer must survive
        if not connection.in_transaction:  # a full disk ends the whole transaction
            raise
        connection.execute("ROLLBACK TO one")
        connection.execute("RELEASE one")
        return explain(error, path)
    connection.execute("RELEASE one")
    return None


def _count(connection: sqlite3.Connection) -> History | None:
    connection.execute(COUNT)
    return history_of(connection)


def _try(problem: str, work: Callable[[], object]) -> None:
    """What follows a commit may fail for any reason: the batches are stored anyway."""
    try:
        work()
    except Exception as error:
        log.warning("%s: %r", problem, error)


def _roll_back(connection: sqlite3.Connection) -> None:
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except Exception:
        log.exception("a transaction could not be rolled back")


def back_up(connection: sqlite3.Connection, path: Path, word: str) -> Path:
    """Copy the whole database into the folder `backups` next to it; returns its name.

    The copy gets its name when it is complete. If we are killed before that, the next copy replaces it.
    """
    target = new_backup(path, word, ".db")
    part = target.with_name(f"{path.stem}-{word}.part")
    try:
        os.replace(target, part)
        with closing(sqlite3.connect(part)) as copy:
            connection.backup(copy)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return target


def new_backup(path: Path, word: str, ending: str) -> Path:
    """An empty file in the folder `backups` next to the database."""
    folder = path.parent / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    target = folder / f"{path.stem}-{word}-{time.strftime('%Y%m%d-%H%M%S')}{ending}"
    os.close(os.open(target, os.O_RDWR | os.O_CREAT, 0o600))
    return target
