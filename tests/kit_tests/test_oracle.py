"""The oracle must catch each way a stream can be wrong; one that passes everything proves nothing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.kit.clients.sse import Event
from tests.kit.oracles.oracle import (
    Broken,
    Row,
    check_answers,
    check_integrity,
    check_log,
    check_received,
    check_turns,
    judge,
    spoken,
    stored,
)

CHAT = "chat-1"


def bodies() -> list[tuple[str, dict[str, Any]]]:
    started: list[tuple[str, dict[str, Any]]] = [("turn-started", {"turn": "t1", "by": "agent"})]
    deltas = [
        ("text-delta", {"turn": "t1", "message_id": "m1", "content": word})
        for word in ("a ", "é ", "c ", "d")
    ]
    other = [("text-delta", {"turn": "t1", "message_id": "m2", "content": "!"})]
    return [*started, *deltas, *other, ("turn-ended", {"turn": "t1", "stop_reason": "end_turn"})]


def written() -> list[Row]:
    return [Row(seq, kind, {"seq": seq, "at": 1.0, **body}) for seq, (kind, body) in enumerate(bodies(), 1)]


def received(rows: list[Row] | None = None) -> list[Event]:
    return [Event(row.kind, str(row.seq), row.data) for row in rows or written()]


def joined(first: int, last: int) -> Event:
    """The rows as a stream may send them while catching up: as one event."""
    run = written()[first - 1 : last]
    data = {**run[0].data, "first_seq": first, "seq": last, "last_at": 2.0, "content": spoken(run)}
    return Event("text-delta", str(last), data)


def database_with(folder: Path, rows: list[Row]) -> Path:
    path = folder / "voxpilot.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("CREATE TABLE events (chat_id TEXT, seq INTEGER, kind TEXT, body BLOB, at REAL)")
        connection.executemany(
            "INSERT INTO events VALUES (?, ?, ?, ?, 1.0)",
            [(CHAT, row.seq, row.kind, json.dumps(row.data).encode()) for row in rows],
        )
    return path


def test_a_faithful_stream_passes() -> None:
    check_received(received(), written(), complete=True)
    check_received([received()[0], joined(2, 5), *received()[5:]], written(), complete=True)


def test_what_is_not_stored_is_passed_over() -> None:
    ready, ping = Event("ready", None, {"chat": {}, "version": "1"}), Event("ping", None, None)
    check_received([*received()[:3], ready, ping, *received()[3:]], written(), complete=True)


def test_a_stream_may_begin_after_a_number_or_with_a_snapshot() -> None:
    check_received(received()[3:], written(), after=3, complete=True)
    snapshot = Event("snapshot", "4", {"seq": 4, "chat": {}, "blocks": []})
    check_received([snapshot, *received()[4:]], written(), complete=True)


def swapped(events: list[Event]) -> list[Event]:
    return [*events[:2], events[3], events[2], *events[4:]]


def changed(events: list[Event]) -> list[Event]:
    data = {**events[3].data, "content": "other"}
    return [*events[:3], replace(events[3], data=data), *events[4:]]


def changed_in_a_run(events: list[Event]) -> list[Event]:
    run = joined(2, 5)
    text = run.data["content"].replace("é", "e")
    return [events[0], replace(run, data={**run.data, "content": text}), *events[5:]]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda events: events[:2] + events[3:], "gap"),
        (lambda events: events[:3] + events[2:], "repeat"),
        (swapped, "gap"),
        (lambda events: [events[0], joined(2, 5), *events[4:]], "repeat"),
        (changed, "received text-delta"),
        (changed_in_a_run, "changed text"),
        (lambda events: [events[0], joined(2, 6), *events[6:]], "different messages"),
        (lambda events: [joined(1, 2), *events[2:]], "may not be joined"),
        (lambda events: [replace(events[0], id="7"), *events[1:]], "id line"),
        (lambda events: [*events, Event("text-delta", "8", {"seq": 8})], "not stored"),
        (lambda events: events[:-1], "only up to 6 of 7"),
        (lambda events: [replace(events[0], kind="plan"), *events[1:]], "received plan"),
    ],
)
def test_a_spoilt_stream_is_caught(spoil: Callable[[list[Event]], list[Event]], why: str) -> None:
    with pytest.raises(Broken, match=why):
        check_received(spoil(received()), written(), complete=True)


def test_a_log_with_a_hole_is_caught() -> None:
    rows = written()
    with pytest.raises(Broken, match="from 2 to 4"):
        check_log([*rows[:2], *rows[3:]])


def test_turns_start_once_and_end_once() -> None:
    start, end = written()[0], written()[-1]
    check_turns([start, end])
    check_turns([start], all_ended=False)
    for rows, why in (
        ([start], "never ended"),
        ([start, end, end], "twice"),
        ([end], "without having started"),
        ([start, end, start], "started twice"),
    ):
        with pytest.raises(Broken, match=why):
            check_turns(rows)


def test_a_question_is_answered_once() -> None:
    question = Row(1, "question", {"id": "q"})
    answer = Row(2, "answer", {"question_id": "q"})
    check_answers([question, answer])
    for rows, why in (([question, answer, answer], "twice"), ([answer], "unasked")):
        with pytest.raises(Broken, match=why):
            check_answers(rows)


def test_a_whole_chat_is_judged_from_its_file(tmp_path: Path) -> None:
    database = database_with(tmp_path, written())
    assert [row.seq for row in stored(database, CHAT)] == list(range(1, 8))
    judge(database, CHAT, received(), text="a é c d!")
    with pytest.raises(Broken, match="other text"):
        judge(database, CHAT, received(), text="a e c d!")


def test_a_damaged_file_is_caught(tmp_path: Path) -> None:
    database = database_with(tmp_path, written() * 200)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(truncate)")
    with database.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * 2000)
    with pytest.raises((Broken, sqlite3.DatabaseError)):
        check_integrity(database)
