"""A damaged data directory: what can be read is recovered, and the damaged one is not changed."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import orjson
import pytest

from tests.conftest import NoteFigure
from tests.kit.clients.driver import LONG_SECONDS, NIGHTLY
from voxpilot.agents.wire.journal_text import text_after
from voxpilot.storage.chats import ledger as ledgers
from voxpilot.storage.database.opening import open_up
from voxpilot.storage.database.sqlite import Batch, Database
from voxpilot.storage.directory.rescue.rebuild import Rescued, rescue

TIMES = 100 if NIGHTLY else 10
CHATS = 12
PAGE = 4096
FRAME = 24
EVENT = "INSERT INTO events (chat_id, seq, kind, body, at, whole) VALUES (?, ?, ?, ?, ?, ?)"
CHAT = (
    "INSERT INTO chats "
    "(id, title, workspace, mode, agent, policy, created_at, updated_at, last_seq, crashes) "
    "VALUES (?, ?, '/tmp', 'agent', 'demo', 'ask', 1, 2, ?, '[]')"
)
TURN = (
    "INSERT INTO turns "
    "(id, chat_id, number, message_id, text, attachments, state, agent, session_name, created_at) "
    "VALUES (?, ?, ?, ?, ?, '[]', 'done', 'demo', 'main', 1)"
)
PROCESS = (
    "INSERT INTO agent_processes "
    "(id, chat_id, agent, state, offset, lines_out, requests, unreadable, slow, force, started_at) "
    "VALUES (?, ?, 'demo', 'ready', 0, 0, 0, 0, 0, 0, 1)"
)
Key = tuple[str, int]


async def make(folder: Path, dice: random.Random) -> dict[Key, bytes]:
    """A data directory as a killed server leaves it; returns its events."""
    alive = folder / "alive"
    alive.mkdir()
    database = alive / "voxpilot.db"
    open_up(database)
    events: dict[Key, bytes] = {}
    (alive / "keepers" / "p1").mkdir(parents=True)
    printed = b'{"method":"session/update"}\n' * 20
    record = struct.pack(">cId", b"<", len(printed), 1.0) + printed
    (alive / "keepers" / "p1" / f"journal.{0:020d}").write_bytes(b"VOXJRN1\n" + record)
    async with Database(database) as db:
        for number in range(CHATS + 1):
            chat, batch = f"{number:012x}", Batch()
            count = dice.randint(5, 120)
            batch.statements.append((CHAT, (chat, f"Chat {number}", count)))
            for turn in range(1, 4):
                batch.statements.append((TURN, (f"t-{chat}-{turn}", chat, turn, f"m-{turn}", "hello")))
            for seq in range(1, count + 1):
                size = dice.choice((10, 60, 300, 700, 3_000, 30_000))
                text = "".join(dice.choices("abcdefghij ", k=20)) * (size // 20 + 1)
                body = orjson.dumps({"seq": seq, "at": 1.5, "message_id": "m", "content": text})
                batch.statements.append((EVENT, (chat, seq, "text-delta", body, float(seq), None)))
                events[chat, seq] = body
            if number == 0:
                batch.statements.append((PROCESS, ("p1", chat)))
            await db.commit(batch)
            if number == CHATS // 2:  # the rest is only in the log
                await asyncio.to_thread(_checkpoint, database)
        gone = f"{CHATS:012x}"
        await db.commit(Batch(statements=[("DELETE FROM chats WHERE id = ?", (gone,))]))
        shutil.copytree(alive, folder / "data")
    return {key: body for key, body in events.items() if key[0] != gone}


def _checkpoint(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def flip(path: Path, dice: random.Random, times: int) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(times if data else 0):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    path.write_bytes(data)


def harm(folder: Path, dice: random.Random) -> list[str]:
    """One to three things that happen to disks and files."""
    main, wal, shm = (folder / f"voxpilot.db{ending}" for ending in ("", "-wal", "-shm"))

    def zero_pages() -> None:
        data = bytearray(main.read_bytes())
        for _ in range(dice.randint(1, 8)):
            at = dice.randrange(max(1, len(data) // PAGE)) * PAGE
            data[at : at + PAGE] = bytes(PAGE)
        main.write_bytes(data)

    def cut(path: Path) -> None:
        if path.exists():
            os.truncate(path, dice.randrange(path.stat().st_size + 1))

    def spoil_header() -> None:
        main.write_bytes(dice.randbytes(100) + main.read_bytes()[100:])

    def garbage_page() -> None:
        data = bytearray(main.read_bytes())
        at = dice.randrange(max(1, len(data) // PAGE)) * PAGE
        data[at : at + PAGE] = dice.randbytes(PAGE)
        main.write_bytes(data)

    def garbage_rows() -> None:
        with suppress(sqlite3.Error), closing(sqlite3.connect(main)) as db, db:
            db.execute("UPDATE events SET body = x'00ff' WHERE seq = 3")
            db.execute("UPDATE turns SET attachments = '{[' WHERE number = 2")
            db.execute("UPDATE chats SET last_seq = -5 WHERE rowid = 2")

    kinds: dict[str, Callable[[], object]] = {
        "a few bits": lambda: flip(main, dice, dice.randint(1, 5)),
        "many bits": lambda: flip(main, dice, dice.randint(50, 500)),
        "bits of the log": lambda: flip(wal, dice, dice.randint(1, 50)),
        "zeroed pages": zero_pages,
        "a page of garbage": garbage_page,
        "a cut file": lambda: cut(main),
        "a cut log": lambda: cut(wal),
        "no log": lambda: wal.unlink(missing_ok=True),
        "no index": lambda: shm.unlink(missing_ok=True),
        "another header": spoil_header,
        "garbage rows": garbage_rows,
        "a cut journal": lambda: cut(folder / "keepers" / "p1" / f"journal.{0:020d}"),
        "no keepers": lambda: shutil.rmtree(folder / "keepers"),
        "no file": lambda: main.write_bytes(b""),
    }
    chosen = dice.sample(list(kinds), dice.randint(1, 3))
    for name in sorted(chosen, key=lambda name: name != "garbage rows"):  # by SQL, while that works
        with suppress(FileNotFoundError):
            kinds[name]()
    return chosen


def intact(events: dict[Key, bytes], before: Path, after: Path) -> set[Key]:
    """Events whose bytes are within an undamaged page of the file or its log."""
    untouched: list[bytes] = []
    for name, start, size in (("voxpilot.db", 0, PAGE), ("voxpilot.db-wal", 32, FRAME + PAGE)):
        old, new = (
            (folder / name).read_bytes() if (folder / name).exists() else b"" for folder in (before, after)
        )
        for at in range(start, len(old) - size + 1, size):
            if old[at : at + size] == new[at : at + size]:
                untouched.append(old[at : at + size])
    joined = b"\0\0\0\0".join(untouched)
    return {key for key, body in events.items() if len(body) < 900 and body in joined}


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


async def check(target: Path, events: dict[Key, bytes], expected: set[Key], what: str, done: Rescued) -> int:
    """Everything expected is there, nothing is invented, and a server can use it."""
    open_up(target / "voxpilot.db")
    with closing(sqlite3.connect(target / "voxpilot.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], what
        assert db.execute("PRAGMA foreign_key_check").fetchall() == [], what
        found = {(chat, seq): body for chat, seq, body in db.execute("SELECT chat_id, seq, body FROM events")}
        chats = db.execute("SELECT id, last_seq FROM chats").fetchall()
    back = {key for key, body in found.items() if events.get(key) == body}
    assert not expected - back, f"{what}: {len(expected - back)} readable events are lost"
    for chat, last in chats:
        assert sorted(seq for id, seq in found if id == chat) == list(range(1, last + 1)), what
    async with Database(target / "voxpilot.db") as db:
        for chat, last in chats:
            ledger = await db.read(lambda connection, chat=chat: ledgers.load(connection, chat))  # type: ignore[misc]
            assert ledger.transcript.head["seq"] == last, what
    assert sum(report.events for report in done.chats.values()) <= len(found)
    return len(back)


@pytest.mark.timeout(LONG_SECONDS)
async def test_what_can_be_read_of_a_damaged_database_comes_back(
    tmp_path: Path, note_figure: NoteFigure
) -> None:
    first = random.Random(20)
    events = await make(tmp_path, first)
    whole = tmp_path / "data"
    total = wanted = saved = 0
    for seed in range(TIMES):
        dice = random.Random(seed)
        folder, target = tmp_path / f"damaged-{seed}", tmp_path / f"rescued-{seed}"
        shutil.copytree(whole, folder)
        what = f"seed {seed}: {', '.join(harm(folder, dice))}"
        before, expected = contents(folder), intact(events, whole, folder)
        target.mkdir()
        done = rescue(folder, target, text_after)
        assert contents(folder) == before, f"{what}: the damaged one was changed"
        saved += await check(target, events, expected, what, done)
        total, wanted = total + len(events), wanted + len(expected)
        shutil.rmtree(folder)
        shutil.rmtree(target)
    note_figure(
        f"rescue: {TIMES} damaged databases with {total} events: {wanted} small ones on untouched pages, "
        f"{saved} came back"
    )


async def test_an_undamaged_database_comes_back_as_it_is(tmp_path: Path) -> None:
    events = await make(tmp_path, random.Random(1))
    (tmp_path / "new").mkdir()
    done = rescue(tmp_path / "data", tmp_path / "new", text_after)
    assert (done.damaged, done.lost_changes, done.can_continue) == (set(), 0, True)
    old, new = (sqlite3.connect(tmp_path / folder / "voxpilot.db") for folder in ("alive", "new"))
    tables = [name for (name,) in new.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for table in sorted({*tables} - {"history", "blocks", "folds"}):
        assert set(old.execute(f"SELECT * FROM {table}")) == set(new.execute(f"SELECT * FROM {table}")), table
    assert len(events) == new.execute("SELECT count(*) FROM events").fetchone()[0]
    old.close()
    new.close()
