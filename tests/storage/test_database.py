"""One writer that never waits for more, and a batch that is written whole or not at all."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from tests.kit.disk import can_mount, small_disk
from voxpilot.errors import StorageFull
from voxpilot.storage.database import Batch, Database, StorageFailed

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


async def test_the_file_survives_power_loss_settings(file: Path) -> None:
    async with Database(file) as db:
        assert await db.rows("PRAGMA journal_mode") == [("wal",)]
        assert await db.rows("PRAGMA synchronous") == [(2,)]
        assert await db.rows("PRAGMA foreign_keys") == [(1,)]


async def test_readers_cannot_write(file: Path) -> None:
    async with Database(file) as db:
        with pytest.raises(sqlite3.OperationalError):
            await db.rows(PUT, ("a", 1))


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
