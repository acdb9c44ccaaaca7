"""Chats with a history, created directly in the database.

Lives here: writing turns into a database with the product's own code, before a server opens it.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from voxpilot.chat.events import TextSpoken, ThoughtSpoken, ToolCallChanged, ToolCallStarted
from voxpilot.chat.transcript import Transcript
from voxpilot.runtime.turns import turn as turns
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.rows import Chat
from voxpilot.storage.database.sqlite import Batch, connect
from voxpilot.storage.database.states import TurnState
from voxpilot.storage.directory import data_dir

BEGAN_AT = 1_760_000_000.0
BATCH_EVENTS = 2_000
FIRST_WORDS, LAST_WORDS = "These are the first words.", "These are the last words."


def seed_chat(
    data: Path, chat_id: str, workspace: Path, events: int, in_a_turn: int, calls: int, output_bytes: int
) -> int:
    """A finished chat with this many events; returns their size in bytes. No server may be running."""
    data_dir.prepare(data)
    migrate(data / "voxpilot.db")
    chat = Chat(
        id=chat_id, title=f"{events} events", workspace=str(workspace), mode="agent", agent="scripted",
        policy="ask", created_at=BEGAN_AT, updated_at=BEGAN_AT,
    )  # fmt: skip
    ledger = Ledger(chat, Transcript())
    ledger.save(chat)
    with closing(connect(data / "voxpilot.db")) as db:
        db.execute("PRAGMA synchronous = OFF")
        for number in range(events // in_a_turn):
            is_last = number == events // in_a_turn - 1
            ending = LAST_WORDS if is_last else f"That was turn {number}."
            opening = FIRST_WORDS if number == 0 else f"This is turn {number}."
            _add_turn(ledger, number, (opening, ending), in_a_turn, calls, output_bytes)
            if is_last or number % max(1, BATCH_EVENTS // in_a_turn) == 0:
                _write(db, ledger)
        counted = "SELECT count(*), sum(length(body)) FROM events WHERE chat_id = ?"
        count, size = db.execute(counted, (chat_id,)).fetchone()
    assert count == events, f"{count} events instead of {events}"
    return int(size)


def _add_turn(
    ledger: Ledger, number: int, words: tuple[str, str], in_a_turn: int, calls: int, output_bytes: int
) -> None:
    """A message, a thought, text, calls and more text, as in a real turn."""
    at = BEGAN_AT + number
    turn = turns.start(ledger, turns.post(ledger, f"Do number {number}.", (), at), at)
    words_before = 1 if number == 0 else 0
    if words_before:
        ledger.emit(TextSpoken(message_id="first", content=words[0], turn=turn.id), at)
    ledger.emit(ThoughtSpoken(message_id=f"h{number}", content="Hm. " * 20, turn=turn.id), at)
    for call in range(calls):
        name = f"c{number}-{call}"
        ledger.emit(
            ToolCallStarted(id=name, title=f"Read {name}", tool_kind="read", status="pending", turn=turn.id),
            at,
        )
        text = {"type": "text", "text": f"output of {name} " + "x" * output_bytes}
        content = ({"type": "content", "content": text},)
        ledger.emit(ToolCallChanged(id=name, status="completed", content=content, turn=turn.id), at)
    # In addition to these: the message, the turn's start and end, the thought, the last text.
    for delta in range(in_a_turn - 2 * calls - 5 - words_before):
        ledger.emit(
            TextSpoken(message_id=f"m{number}", content=f"Word {delta} of {number}. ", turn=turn.id), at
        )
    ledger.emit(TextSpoken(message_id=f"m{number}", content=words[1], turn=turn.id), at)
    turns.end(ledger, turn, TurnState.DONE, "end_turn", at)


def _write(db: sqlite3.Connection, ledger: Ledger) -> None:
    batch: Batch = ledger.take(BEGAN_AT).batch
    db.execute("BEGIN")
    for sql, parameters in batch.statements:
        db.execute(sql, parameters)
    for sql, many in batch.many:
        db.executemany(sql, many)
    db.execute("COMMIT")
    ledger.committed()
