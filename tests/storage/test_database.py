"""One writer that never waits for more batches, and a batch that is written completely or not at all."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.kit.machine.disk import can_mount, small_disk
from voxpilot.errors import OutOfMemory, StorageFull
from voxpilot.storage.database import sqlite
from voxpilot.storage.database.history_mark import Mark
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.sqlite import Batch, Database
from voxpilot.storage.database.trouble import StorageFailed, StorageReadOnly

PUT = "INSERT INTO t (k, v) VALUES (?, ?)"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return _with_table(tmp_path / "x.db")


def _with_table(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (k TEXT PRIMARY KEY, v BLOB)")
    connection.close()
    return path


async def keys(db: Database) -> list[str]:
    return [key for (key,) in await db.rows("SELECT k FROM t ORDER BY k")]


async def test_a_committed_batch_is_seen_by_the_next_read(file: Path) -> None:
    async with Database(file) as db:
        await db.commit(Batch(statements=[(PUT, ("a", 1))], many=[(PUT, [("b", 2), ("c", 3)])]))
        assert await keys(db) == ["a", "b", "c"]


async def test_many_waiting_batches_share_a_transaction_and_each_is_answered(file: Path) -> None:
    async with Database(file) as db:
        await asyncio.gather(*(db.commit(Batch(statements=[(PUT, (f"{n:04}", n))])) for n in range(500)))
        assert len(await keys(db)) == 500


async def test_a_batch_that_fails_takes_only_itself_back(file: Path) -> None:
    async with Database(file) as db:
        good = [db.commit(Batch(statements=[(PUT, (f"g{n}", n))])) for n in range(5)]
        bad = db.commit(Batch(statements=[(PUT, ("half", 1)), (PUT, ("g0", 1)), (PUT, ("g0", 1))]))
        results = await asyncio.gather(*good[:3], bad, *good[3:], return_exceptions=True)
        assert [type(result) for result in results if result is not None] == [StorageFailed]
        assert await keys(db) == [f"g{n}" for n in range(5)]


@pytest.mark.parametrize(
    "odd", [2**64, "\ud800", object()], ids=["too large", "half a character", "no value"]
)
async def test_what_cannot_be_stored_is_refused_and_nothing_else(file: Path, odd: object) -> None:
    async with Database(file) as db:
        good = db.commit(Batch(statements=[(PUT, ("good", 1))]))
        bad = db.commit(Batch(statements=[(PUT, ("half", 1)), (PUT, ("odd", odd))]))
        results = await asyncio.gather(good, bad, return_exceptions=True)
        assert [type(result) for result in results] == [type(None), StorageFailed]
        await db.commit(Batch(statements=[(PUT, ("later", 1))]))
        assert await keys(db) == ["good", "later"]


async def test_the_connection_that_writes_waits_for_the_disk(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K1: these settings belong to a connection, so those of a reader would say nothing about writes."""
    used: dict[str, list[object]] = {}
    original = sqlite._write_group

    def watched(connection: sqlite3.Connection, *rest: Any) -> Any:
        names = ("journal_mode", "synchronous", "foreign_keys")
        here = threading.current_thread().name
        used[here] = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
        return original(connection, *rest)

    monkeypatch.setattr(sqlite, "_write_group", watched)
    async with Database(file) as db:
        await db.commit(Batch(statements=[(PUT, ("a", 1))]))
    assert used == {"writer": ["wal", 2, 1]}


async def test_readers_cannot_write(file: Path) -> None:
    async with Database(file) as db:
        with pytest.raises(StorageReadOnly):
            await db.rows(PUT, ("a", 1))


async def test_a_file_that_is_deleted_is_saved_at_the_end_with_all_commits(file: Path) -> None:
    """The copy used to be made when the loss was noticed, without what was committed after that."""
    async with Database(file) as db:
        await db.commit(Batch(statements=[(PUT, ("before", b"x"))]))
        for path in file.parent.glob("x.db*"):
            path.unlink()
        await db.commit(Batch(statements=[(PUT, ("after", b"x"))]))
    [copy] = (file.parent / "backups").iterdir()
    async with Database(copy) as db:
        assert await keys(db) == ["after", "before"]


async def test_a_deleted_file_that_cannot_be_saved_is_reported(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Database(file):
        file.unlink()
        (file.parent / "backups").write_text("not a folder")
    assert "could not be copied" in caplog.text


async def test_a_file_that_was_moved_with_its_folder_is_not_copied(file: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    async with Database(_with_table(place / "y.db")):
        place.rename(tmp_path / "elsewhere")
        place.mkdir()
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")], ids=repr)
async def test_a_patient_read_waits_for_memory(
    file: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(sqlite, "RETRY_SECONDS", 0)
    failures = [error, error]

    def read(connection: sqlite3.Connection) -> str:
        if failures:
            raise failures.pop()
        return "read"

    async with Database(file) as db:
        assert await db.read(read, patient=True) == "read"


def _no_memory(*_: object) -> None:
    raise MemoryError


@pytest.mark.parametrize("name", ["note", "settle"])
async def test_a_mark_that_fails_ends_neither_the_writer_nor_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The writer's thread used to end, and every later commit waited forever."""
    migrate(tmp_path / "voxpilot.db")
    trust = "INSERT INTO trusted_folders VALUES (?, 0)"
    async with Database(tmp_path / "voxpilot.db") as db:
        monkeypatch.setattr(Mark, name, _no_memory)
        monkeypatch.setattr(sqlite, "SETTLED_SECONDS", 0)
        async with asyncio.timeout(10):
            for folder in ("/a", "/b"):
                await db.commit(Batch(statements=[(trust, (folder,))]))
        assert await db.rows("SELECT count(*) FROM trusted_folders") == [(2,)]


async def test_an_error_that_cannot_be_explained_ends_only_its_own_commit(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Database(file) as db, asyncio.timeout(10):
        with monkeypatch.context() as patch:
            patch.setattr(sqlite, "explain", _no_memory)
            with pytest.raises(OutOfMemory):
                await db.commit(Batch(statements=[("not SQL", ())]))
        await db.commit(Batch(statements=[(PUT, ("a", 1))]))
        assert await keys(db) == ["a"]


async def test_a_commit_whose_caller_is_gone_does_not_end_the_writer(file: Path) -> None:
    """A loop that is closed accepts no result."""
    async with Database(file) as db:
        loop = asyncio.new_event_loop()
        loop.close()
        gone = sqlite._Waiting(
            Batch(statements=[(PUT, ("a", 1))]), lambda error: loop.call_soon_threadsafe(print)
        )
        db._queue.put(gone)
        async with asyncio.timeout(10):
            await db.commit(Batch(statements=[(PUT, ("b", 1))]))
        assert await keys(db) == ["a", "b"]


async def _write_on(db: Database) -> None:
    for n in range(100):
        await db.commit(Batch(statements=[(PUT, (f"n{n}", b"x" * 50_000))]))


@pytest.mark.skipif(not can_mount(), reason="needs to mount a small file system, which only root may")
async def test_a_full_disk_refuses_writes_and_recovers_without_a_restart(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", 4 << 20) as disk:
        async with Database(_with_table(disk.path / "x.db")) as db:
            await db.commit(Batch(statements=[(PUT, ("before", b"x"))]))
            disk.fill()
            with pytest.raises(StorageFull):
                await _write_on(db)
            assert "before" in await keys(db)
            disk.free()
            await db.commit(Batch(statements=[(PUT, ("z-after", b"x"))]))
            assert (await keys(db))[-1] == "z-after"
            assert await db.rows("PRAGMA integrity_check") == [("ok",)]
