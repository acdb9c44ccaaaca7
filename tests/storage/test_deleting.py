"""Deleting a chat: nobody sees it any more, and nobody waits for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from voxpilot.chat.transcript import Transcript
from voxpilot.runtime.turns import turn
from voxpilot.storage.chats import chat_list, deleting
from voxpilot.storage.chats.deleting import (
    deletion_begun,
    mark_deleted,
    remove_deleted,
    unfinished_deletions,
)
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.rows import Chat
from voxpilot.storage.database.sqlite import Batch, Database
from voxpilot.storage.database.trouble import StorageDamaged

LARGE = "x" * 20_000


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Two chats with rows in every table."""
    path = tmp_path / "voxpilot.db"
    migrate(path)
    with closing(sqlite3.connect(path)) as db, db:
        for chat in ("gone", "kept"):
            fill(db, "chats", id=chat)
            for table in tables(db):
                fill(
                    db, table, chat_id=chat, process_id=f"k-{chat}", session_id=f"s-{chat}", turn=f"t-{chat}"
                )
    return path


def tables(db: sqlite3.Connection) -> Iterator[str]:
    """Those that belong to chats: parents first."""
    yield from ("agent_processes", "acp_sessions")
    for (table,) in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    ).fetchall():
        owners = {column[2] for column in db.execute(f"PRAGMA foreign_key_list({table})")}
        if owners and table not in ("agent_processes", "acp_sessions"):
            yield table


def fill(db: sqlite3.Connection, table: str, **known: Any) -> None:
    """A few rows; columns that nobody named get something."""
    ids = {"agent_processes": "k", "acp_sessions": "s"}
    columns = [column[1:4] for column in db.execute(f"PRAGMA table_info({table})")]
    for number in range(1 if table in (*ids, "chats", "folds") else 5):
        chat = known.get("chat_id", "")
        own = {
            "id": known.get("id", f"{ids[table]}-{chat}" if table in ids else f"{table}-{chat}-{number}"),
            **dict.fromkeys(("seq", "pos", "n", "number"), number),
            **dict.fromkeys(("key", "request_id"), f"{chat}-{table}-{number}"),
            **dict.fromkeys(("body", "attachments", "content", "response", "line", "detail"), LARGE),
            "deleted": 0,
        }
        values = {**own, **known}
        if table == "file_views":
            values["request_id"] = own["request_id"]
        blank = {name: ("" if kind == "TEXT" else 0) if needed else None for name, kind, needed in columns}
        row = [values.get(name, blank[name]) for name, *_ in columns]
        db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def counts(path: Path) -> dict[str, tuple[int, int]]:
    """How many rows each of the two chats has."""
    with closing(sqlite3.connect(path)) as db:
        found = {}
        for table in tables(db):
            columns = [column[1] for column in db.execute(f"PRAGMA table_info({table})")]
            owner = next(name for name in ("chat_id", "process_id", "session_id") if name in columns)
            prefix = {"chat_id": "", "process_id": "k-", "session_id": "s-"}[owner]
            sql = f"SELECT count(*) FROM {table} WHERE {owner} = ?"
            gone, kept = (db.execute(sql, (f"{prefix}{name}",)).fetchone()[0] for name in ("gone", "kept"))
            found[table] = (gone, kept)
        return found


async def test_every_row_goes_in_small_transactions(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B7: another chat waits at most for one large row, wherever it is stored."""
    before = counts(database)
    assert all(gone == kept > 0 for gone, kept in before.values()), before
    committed: list[int] = []
    commit = Database.commit

    async def watched(self: Database, batch: Batch) -> None:
        with closing(sqlite3.connect(database)) as db:
            size = sum(map(len, db.iterdump()))
            await commit(self, batch)
            committed.append(size - sum(map(len, db.iterdump())))

    monkeypatch.setattr(deleting, "SLICE_BYTES", 2 * len(LARGE))
    async with Database(database) as db:
        monkeypatch.setattr(Database, "commit", watched)
        await mark_deleted(db, "gone")
        assert counts(database)["turns"] == before["turns"], "only marked"
        await remove_deleted(db)
    assert max(committed) < 3 * len(LARGE)
    assert counts(database) == {table: (0, kept) for table, (_, kept) in before.items()}


async def test_no_query_finds_a_chat_that_is_being_removed(database: Path) -> None:
    with closing(sqlite3.connect(database)) as file, file:
        file.execute("UPDATE agent_processes SET state = 'ready'")
        file.execute("UPDATE acp_sessions SET agent = 'a', acp_session_id = 's-' || chat_id, wanted = 1")
    async with Database(database) as db:
        await mark_deleted(db, "gone")
        assert await chat_list.chats_to_wake(db) == ["kept"]
        assert [process.id for process in await chat_list.live_processes(db)] == ["k-kept"]
        assert await chat_list.chat_with_session(db, "a", "s-gone") is None
        assert list(await chat_list.known_sessions(db, "a")) == ["s-kept"]
        assert await chat_list.find_question(db, "gone", "questions-gone-0") is None
        assert not await chat_list.has_terminal(db, "gone", "terminals-gone-0")


async def test_a_deletion_that_was_cut_short_is_found_unless_the_chat_was_used_since(tmp_path: Path) -> None:
    migrate(tmp_path / "voxpilot.db")
    async with Database(tmp_path / "voxpilot.db") as db:
        for name, used_at in (("cut", 4.0), ("used", 6.0), ("other", None)):
            row = Chat(
                id=name, title="", workspace="/w", mode="agent", agent="a", policy="ask",
                created_at=0.0, updated_at=0.0,
            )  # fmt: skip
            ledger = Ledger(row, Transcript())
            ledger.save(row)
            if used_at is not None:
                ledger.save(deletion_begun(name, 5.0))
                turn.post(ledger, "hello", (), used_at)
            await db.commit(ledger.take(9.0).batch)
        assert await unfinished_deletions(db) == ["cut"]
        await mark_deleted(db, "cut")
        assert await unfinished_deletions(db) == []


async def test_a_chat_whose_rows_cannot_be_removed_holds_up_no_other(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B7: its pages may be damaged; the error is still reported."""
    remove_rows = deleting._remove_rows

    async def damaged(db: Database, table: Any, owner: str) -> None:
        if owner == "gone":
            raise StorageDamaged
        await remove_rows(db, table, owner)

    async with Database(database) as db:
        for chat in ("gone", "kept"):
            await mark_deleted(db, chat)
        monkeypatch.setattr(deleting, "_remove_rows", damaged)
        with pytest.raises(StorageDamaged):
            await remove_deleted(db)
        assert await db.rows("SELECT id FROM chats") == [("gone",)]
