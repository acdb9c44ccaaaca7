"""Building a new data directory from what could be read of a damaged one.

Lives here: storing the rows, making each chat's log gapless again, closing work that cannot continue, and
reporting what was recovered. The damaged directory is only read. Lives elsewhere: reading it (salvage.py).
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from voxpilot.chat.preview import DELTA_LIMIT
from voxpilot.storage.chats.event_log import DELTAS
from voxpilot.storage.database.history_mark import begin_another, read_mark
from voxpilot.storage.database.migrate import migrate, statements, steps
from voxpilot.storage.directory.backup import DATABASE, explained
from voxpilot.storage.directory.data_dir import BadDataDir
from voxpilot.storage.directory.rescue.btree import Record
from voxpilot.storage.directory.rescue.image import read_image
from voxpilot.storage.directory.rescue.reading import read_through
from voxpilot.storage.directory.rescue.salvage import Salvage, Table, open_salvage

_SHOWN = frozenset({"events", "blocks", "folds", "skill_choices"})
"""Tables that are only displayed. If any other table lost rows, open work cannot safely continue."""
_MADE_AGAIN = frozenset({"blocks", "folds", "history"})
_PHASES = 21
"""The step that gave sessions a phase."""
_JOURNAL_MAGIC = b"VOXJRN1\n"
_ENDED = orjson.dumps({"reason": "lost"})
_CLOSED: dict[str, tuple[str, str]] = {
    "turns": ("state = 'interrupted', stop_reason = 'interrupted', ended_at = :now", "state IN ('running')"),
    "tasks": ("ended_at = :now, stop_reason = 'interrupted'", "ended_at IS NULL"),
    "model_steps": ("over = 1", "over = 0"),
    "calls": ("over = 1", "over = 0"),
    "agent_processes": ("state = 'ended', ended_at = :now", "state != 'ended'"),
    "questions": (
        "state = 'decided', outcome = 'cancelled', decided_by = 'cancelled', decided_at = :now",
        "state = 'open'",
    ),
    "acp_sessions": (
        "wanted = 0, turn = NULL, replay = NULL, process_id = '', "
        "phase = CASE acp_session_id WHEN '' THEN 'unopened' ELSE 'closed' END",
        "1",
    ),
}
"""How rows that are open in each table are closed."""


@dataclass(slots=True)
class Rescued:
    """What was recovered."""

    folder: Path
    chats: dict[str, ChatReport] = field(default_factory=dict)
    damaged: set[str] = field(default_factory=set)
    lost_changes: int = 0
    """Transactions that were stored once but are in none of the files."""
    can_continue: bool = True
    """Whether agents that are still running can be used again."""
    live: list[str] = field(default_factory=list)
    """Processes whose agents may still be running."""


@dataclass(slots=True)
class ChatReport:
    title: str
    events: int
    missing: int


def rescue(source: Path, target: Path, text_after: Callable[[Path, int], str]) -> Rescued:
    """Build a new data directory in `target`, which must be empty, from the damaged one.

    `text_after` reads an agent's text after an offset in its journal.
    """
    try:
        return _rescue(source, target, text_after)
    except (sqlite3.Error, OSError) as error:
        raise explained(error, target / DATABASE) from error


def _rescue(source: Path, target: Path, text_after: Callable[[Path, int], str]) -> Rescued:
    database = target / DATABASE
    migrate(database)
    done = Rescued(target)
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("PRAGMA synchronous = OFF")
        db.execute("BEGIN")
        known = _take(db, source / DATABASE, done)
        for older in _backups(source):
            _fill_up(db, older, known)
        _convert(db)
        _give_homes(db)
        _report(db, done)
        if done.damaged - _SHOWN or done.lost_changes:
            done.can_continue = False
            _take_last_words(db, source, text_after)
            _close_work(db)
        _drop_strays(db)
        begin_another(db)
        db.execute("COMMIT")
        done.live = [id for (id,) in db.execute("SELECT id FROM agent_processes WHERE state != 'ended'")]
        db.execute("PRAGMA synchronous = FULL")
        db.execute("VACUUM")
    _copy_keepers(source, target, done.live)
    for name in ("token", "clock.json"):
        if (source / name).is_file():
            _copy_private(source / name, target / name)
    return done


def _take(db: sqlite3.Connection, path: Path, done: Rescued) -> set[str] | None:
    """Store every row that can be read. Returns the existing chats, or None if that cannot be determined."""
    image = read_image(read_through(path), read_through(path.with_name(f"{path.name}-wal")))
    if not (image.main or image.frames or image.torn):
        done.damaged = set(open_salvage(image).tables)
        return None
    salvage = open_salvage(image)
    for name, table in salvage.tables.items():
        if name not in _MADE_AGAIN:
            _store(db, table, salvage.rows(name))
        else:
            for _ in salvage.rows(name):  # its pages are known by then
                pass
    is_list_whole = "chats" not in salvage.damaged
    known = {id for (id,) in db.execute("SELECT id FROM chats")} if is_list_whole else None
    for name, rows in salvage.orphans().items():
        if name not in _MADE_AGAIN:
            _store(db, salvage.tables[name], _of_chats(salvage.tables[name], rows, known))
    events = salvage.tables["events"]
    _store(db, events, _of_chats(events, salvage.earlier("events"), known))
    done.damaged = set(salvage.damaged) - _MADE_AGAIN
    done.lost_changes = _lost_changes(path, salvage)
    if done.lost_changes or done.damaged:  # then the incomplete transaction may have been committed
        for table, rows in salvage.torn():
            if table.name not in _MADE_AGAIN:
                _store(db, table, rows)
        _store(db, events, _of_chats(events, salvage.confirmed("events"), known), "REPLACE")
    return known


def _lost_changes(path: Path, salvage: Salvage) -> int:
    marked = read_mark(path)
    held = [commits for id, commits in salvage.rows("history") if marked and id == marked.id]
    return max(0, marked.commits - max(held)) if marked and held else 0


def _of_chats(table: Table, rows: Iterable[Record], known: set[str] | None) -> Iterable[Record]:
    """Skips rows of chats that do not exist: they were deleted."""
    place = next((at for at, column in enumerate(table.columns) if column.name == "chat_id"), None)
    if known is None or place is None:
        return rows
    return (row for row in rows if row[place] in known)


def _store(
    db: sqlite3.Connection,
    table: Table,
    rows: Iterable[Record],
    if_there: Literal["IGNORE", "REPLACE"] = "IGNORE",
) -> None:
    names = ", ".join(column.name for column in table.columns)
    marks = ", ".join("?" * len(table.columns))
    sql = f"INSERT OR {if_there} INTO {table.name} ({names}) VALUES ({marks})"
    good = (row for row in rows if _makes_sense(table, row))
    db.executemany(sql, good)


def _makes_sense(table: Table, row: Record) -> bool:
    if table.name != "events":
        return all(_is_json(column.name, value) for column, value in zip(table.columns, row, strict=True))
    _, seq, kind, body, _, whole = row
    try:
        told = orjson.loads(body)
        is_told = isinstance(told, dict) and told["seq"] == seq and isinstance(told["at"], int | float)
        is_spoken = kind not in DELTAS or isinstance(told["content"] + told["message_id"], str)
        return bool(is_told and is_spoken and kind and (whole is None or orjson.loads(whole)))
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return False


_JSON = frozenset({
    "crashes", "directories", "shifts", "attachments", "error", "initialized", "ended", "options", "replay",
    "note", "always", "context", "subject", "response", "detail", "message", "usage", "arguments", "argv",
    "env", "reply",
})  # fmt: skip
"""Columns that hold JSON, in any table."""


def _is_json(name: str, value: object) -> bool:
    if name not in _JSON or not isinstance(value, str):
        return True
    try:
        orjson.loads(value)
    except orjson.JSONDecodeError:
        return False
    return True


def _backups(source: Path) -> list[Path]:
    folder = source / "backups"
    found = folder.glob("*.db") if folder.is_dir() else ()
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def _fill_up(db: sqlite3.Connection, path: Path, known: set[str] | None) -> None:
    """Events that only an older copy still has; its other rows may be out of date."""
    try:
        salvage: Salvage = open_salvage(read_image(read_through(path), b""))
    except BadDataDir:  # the database itself was readable
        return
    for name in ("chats", "events"):
        table = salvage.tables[name]
        rows = salvage.rows(name)
        if name == "chats" and known is not None:
            continue
        _store(db, table, _of_chats(table, rows, known))


def _convert(db: sqlite3.Connection) -> None:
    """Sessions of an older version have no phase; it follows from their other columns."""
    for statement in statements(dict(steps())[_PHASES]):
        if statement.startswith("UPDATE"):
            db.execute(statement)


def _give_homes(db: sqlite3.Connection) -> None:
    """A chat whose own row is lost gets a new one, so that its events are not lost too."""
    homeless = db.execute(
        "SELECT DISTINCT chat_id FROM events WHERE chat_id NOT IN (SELECT id FROM chats)"
    ).fetchall()
    for (chat,) in homeless:
        cwd = db.execute(
            "SELECT cwd, agent FROM acp_sessions WHERE chat_id = ? AND cwd IS NOT NULL", (chat,)
        ).fetchone()
        first, last, seq = db.execute(
            "SELECT min(at), max(at), max(seq) FROM events WHERE chat_id = ?", (chat,)
        ).fetchone()
        workspace, agent = cwd or (str(Path.home()), None)
        db.execute(
            "INSERT INTO chats "
            "(id, title, workspace, mode, agent, policy, created_at, updated_at, last_seq, crashes) "
            "VALUES (?, 'Rescued chat', ?, ?, ?, 'ask', ?, ?, ?, '[]')",
            (chat, workspace, "agent" if agent else "llm", agent, first, last, seq),
        )


def _report(db: sqlite3.Connection, done: Rescued) -> None:
    """Close the gaps in each log, and add a notice about what was recovered."""
    now = time.time()
    for chat, title, last_seq in db.execute("SELECT id, title, last_seq FROM chats").fetchall():
        seqs = [
            seq for (seq,) in db.execute("SELECT seq FROM events WHERE chat_id = ? ORDER BY seq", (chat,))
        ]
        last = max([last_seq if 0 <= last_seq < 10**9 else 0, *seqs])
        missing = last - len(seqs)
        if missing:
            _fill_gaps(db, chat, seqs, last, now)
        if done.damaged:
            last += 1
            text = "This chat was rescued from a damaged database."
            text += f" {missing} of its events could not be read." if missing else " No events are missing."
            _append(db, chat, last, "notice", now, {"level": "warning", "code": "rescued", "text": text})
        db.execute("UPDATE chats SET last_seq = ? WHERE id = ?", (last, chat))
        done.chats[chat] = ChatReport(title, len(seqs), missing)


def _fill_gaps(db: sqlite3.Connection, chat: str, seqs: list[int], last: int, now: float) -> None:
    """Each missing number becomes an event: the first of a gap says so, the others change nothing."""
    there, gap = 0, Counter[int]()
    for seq in [*seqs, last + 1]:
        if seq > there + 1:
            gap[there + 1] = seq - there - 1
        there = seq
    for first, count in gap.items():
        what = "1 event" if count == 1 else f"{count} events"
        text = f"{what} could not be read and {'is' if count == 1 else 'are'} missing here."
        _append(db, chat, first, "notice", now, {"level": "warning", "code": "rescued", "text": text})
        for seq in range(first + 1, first + count):
            _append(db, chat, seq, "chat-info", now, {})


def _append(db: sqlite3.Connection, chat: str, seq: int, kind: str, at: float, body: dict[str, Any]) -> None:
    told = orjson.dumps({"seq": seq, "at": round(at, 3), **body})
    db.execute(
        "INSERT INTO events (chat_id, seq, kind, body, at) VALUES (?, ?, ?, ?, ?)",
        (chat, seq, kind, told, at),
    )


def _take_last_words(db: sqlite3.Connection, source: Path, text_after: Callable[[Path, int], str]) -> None:
    """Add agents' text that is not in the log yet: their work ends here, so it will not be read later."""
    sql = "SELECT id, chat_id, offset FROM agent_processes WHERE state != 'ended'"
    for process, chat, offset in db.execute(sql).fetchall():
        found = db.execute("SELECT last_seq FROM chats WHERE id = ?", (chat,)).fetchone()
        text = text_after(source / "keepers" / process, max(0, offset)) if found else ""
        for start in range(0, len(text), DELTA_LIMIT):
            body: dict[str, Any] = {
                "message_id": f"rescued-{process}",
                "content": text[start : start + DELTA_LIMIT],
            }
            if (turn := _open_turn(db, chat)) is not None:
                body["turn"] = turn
            last = db.execute("SELECT last_seq FROM chats WHERE id = ?", (chat,)).fetchone()[0]
            _append(db, chat, last + 1, "text-delta", time.time(), body)
            db.execute("UPDATE chats SET last_seq = last_seq + 1 WHERE id = ?", (chat,))


def _close_work(db: sqlite3.Connection) -> None:
    """Rows that others depend on may be lost, so unfinished work ends here and can be requested again."""
    now = time.time()
    for (chat,) in db.execute("SELECT id FROM chats").fetchall():
        if (turn := _open_turn(db, chat)) is not None:
            _end_turn(db, chat, turn, now)
    for table, (change, where) in _CLOSED.items():
        db.execute(f"UPDATE {table} SET {change} WHERE {where}", {"now": now})
    for table in ("requests", "outbox", "early_frames", "terminals"):
        db.execute(f"DELETE FROM {table}")


def _open_turn(db: sqlite3.Connection, chat: str) -> str | None:
    found = db.execute(
        "SELECT kind, body FROM events WHERE chat_id = ? AND kind IN ('turn-started', 'turn-ended') "
        "ORDER BY seq DESC LIMIT 1",
        (chat,),
    ).fetchone()
    return orjson.loads(found[1]).get("turn") if found and found[0] == "turn-started" else None


def _end_turn(db: sqlite3.Connection, chat: str, turn: str, now: float) -> None:
    last = db.execute("SELECT last_seq FROM chats WHERE id = ?", (chat,)).fetchone()
    if last is None:
        return
    why = {"message": "The database was damaged and rescued.", "hint": "Select Continue to resume."}
    body = {"turn": turn, "stop_reason": "interrupted", "error": why}
    _append(db, chat, last[0] + 1, "turn-ended", now, body)
    db.execute("UPDATE chats SET last_seq = last_seq + 1 WHERE id = ?", (chat,))


def _drop_strays(db: sqlite3.Connection) -> None:
    """Delete rows whose owner is lost; none may be left when references are checked again."""
    while strays := db.execute("PRAGMA foreign_key_check").fetchall():
        for table, rowid, _, _ in strays:
            if rowid is not None:
                db.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))
        for table in {table for table, rowid, _, _ in strays if rowid is None}:
            for parent, column, owner in _references(db, table):
                db.execute(
                    f"DELETE FROM {table} WHERE {column} IS NOT NULL "
                    f"AND {column} NOT IN (SELECT {owner} FROM {parent})"
                )


def _references(db: sqlite3.Connection, table: str) -> list[tuple[str, str, str]]:
    found = db.execute(f"PRAGMA foreign_key_list({table})").fetchall()
    return [(parent, column, owner or "id") for _, _, parent, column, owner, *_ in found]


def _copy_keepers(source: Path, target: Path, live: list[str]) -> None:
    """Copy the journals with agents' output that is not in the log yet: the server continues there.

    An agent without a journal must not be started a second time, so it gets one that says that it ended.
    """
    (target / "keepers").mkdir(mode=0o700)
    for process in live:
        folder, old = target / "keepers" / process, source / "keepers" / process
        folder.mkdir(mode=0o700)
        for path in old.iterdir() if old.is_dir() else ():
            if path.is_file() and path.name not in ("lock", "marks.json"):
                _copy_private(path, folder / path.name)
        if not any(name.startswith("journal.") for name in os.listdir(folder)):
            record = struct.pack(">cId", b"x", len(_ENDED), time.time()) + _ENDED
            (folder / f"journal.{0:020d}").write_bytes(_JOURNAL_MAGIC + record)


def _copy_private(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)
    target.chmod(0o600)
