"""LOGX: whether what clients received is what the log holds.

Lives here: reading the database without the product's code, and every rule that a received stream must
follow. Lives elsewhere: receiving (sse.py), what the agent really said (tests/fakes/script.py).

    judge(server.database, chat_id, viewer.events, text=spoken_by(prompt))
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.kit.clients.sse import Event

DELTAS = ("text-delta", "thought-delta", "copilot-delta")
MAY_DIFFER_IN_A_RUN = ("seq", "first_seq", "at", "last_at", "content")


class Broken(AssertionError):
    """A promise about the log is broken."""


class Told(Protocol):
    """Anything that records an event: a row of the log or an event of a stream."""

    @property
    def kind(self) -> str: ...

    @property
    def data(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Row:
    """One event as stored in the database."""

    seq: int
    kind: str
    data: dict[str, Any]


def stored(database: Path, chat: str) -> list[Row]:
    """The log of a chat, ordered by number."""
    with _opened(database) as connection:
        found = connection.execute(
            "SELECT seq, kind, body FROM events WHERE chat_id = ? ORDER BY seq", (chat,)
        )
        return [Row(seq, kind, json.loads(body)) for seq, kind, body in found]


def judge(
    database: Path, chat: str, *received: Sequence[Event], text: str | None = None, complete: bool = True
) -> list[Row]:
    """Check everything against everything; returns the rows for further checks.

    `complete`: every client must have reached the end of the log, and every turn must have ended. `text` is
    what the agent said in this chat, exactly.
    """
    check_integrity(database)
    rows = stored(database, chat)
    check_log(rows)
    check_turns(rows, all_ended=complete)
    check_answers(rows)
    for events in received:
        check_received(events, rows, complete=complete)
    if text is not None and spoken(rows) != text:
        raise Broken(f"the log holds other text than was said: {_difference(spoken(rows), text)}")
    return rows


def check_log(rows: Sequence[Row]) -> None:
    """The numbers are 1, 2, 3 … and each body contains its own."""
    for place, row in enumerate(rows, start=1):
        if row.seq != place:
            raise Broken(f"the log goes from {place - 1} to {row.seq}")
        if row.data.get("seq") != row.seq:
            raise Broken(f"row {row.seq} says it is {row.data.get('seq')}")


def check_received(
    events: Iterable[Event], rows: Sequence[Row], after: int = 0, complete: bool = False
) -> None:
    """A client received the log after `after`: no gap, no repetition, same order, same content.

    A `snapshot` at the beginning stands for everything up to its number. `complete` requires the end too.
    """
    by_seq = {row.seq: row for row in rows}
    last = after
    started = False
    for event in events:
        if event.kind == "snapshot" and not started:
            last = event.seq
        if not event.is_stored:
            continue
        started = True
        _check_place(event, last)
        _check_content(event, by_seq)
        last = event.seq
    end = rows[-1].seq if rows else 0
    if complete and last != end:
        raise Broken(f"received only up to {last} of {end}")


def check_turns(rows: Iterable[Told], all_ended: bool = True) -> None:
    """Each turn starts once and ends once, in this order."""
    open_turns: set[str] = set()
    seen: set[str] = set()
    for row in rows:
        if row.kind not in ("turn-started", "turn-ended"):
            continue
        turn = str(row.data["turn"])
        if row.kind == "turn-started":
            if turn in seen:
                raise Broken(f"turn {turn} started twice")
            seen.add(turn)
            open_turns.add(turn)
        elif turn in open_turns:
            open_turns.remove(turn)
        else:
            raise Broken(f"turn {turn} ended {'twice' if turn in seen else 'without having started'}")
    if all_ended and open_turns:
        raise Broken(f"turns never ended: {sorted(open_turns)}")


def check_answers(rows: Iterable[Told]) -> None:
    """No question is answered twice, or before it is asked."""
    asked: set[str] = set()
    decided: set[str] = set()
    for row in rows:
        if row.kind == "question":
            asked.add(str(row.data["id"]))
        elif row.kind == "answer":
            question = str(row.data["question_id"])
            if question not in asked or question in decided:
                raise Broken(
                    f"question {question} was answered {'twice' if question in decided else 'unasked'}"
                )
            decided.add(question)


def check_integrity(database: Path) -> None:
    """SQLite finds nothing wrong with the file."""
    with _opened(database) as connection:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
    if found != ["ok"] or orphans:
        raise Broken(f"{database} is damaged: {found} {orphans}")


def spoken(told: Iterable[Told], kind: str = "text-delta") -> str:
    """All text of one kind, joined."""
    return "".join(entry.data["content"] for entry in told if entry.kind == kind)


def _check_place(event: Event, last: int) -> None:
    where = f"{event.kind} {event.first_seq}..{event.seq} came after {last}"
    if event.seq < event.first_seq:
        raise Broken(f"numbers run backwards: {where}")
    if event.first_seq > last + 1:
        raise Broken(f"gap: {where}")
    if event.first_seq <= last:
        raise Broken(f"repeat or wrong order: {where}")
    if event.id is not None and event.id != str(event.seq):
        raise Broken(f"id line {event.id!r} differs from the body: {where}")


def _check_content(event: Event, by_seq: dict[int, Row]) -> None:
    run = [by_seq.get(seq) for seq in range(event.first_seq, event.seq + 1)]
    rows = [row for row in run if row is not None]
    if len(rows) < len(run):
        raise Broken(f"received but not stored: {event}")
    if len(rows) == 1:
        if (event.kind, event.data) != (rows[0].kind, rows[0].data):
            raise Broken(f"received {event.kind} {event.data}, stored {rows[0].kind} {rows[0].data}")
        return
    if event.kind not in DELTAS or any(row.kind != event.kind for row in rows):
        raise Broken(f"joined what may not be joined: {event.kind} from {[row.kind for row in rows]}")
    if any(_fixed(row.data) != _fixed(event.data) for row in rows):
        raise Broken(f"joined deltas of different messages: {event.first_seq}..{event.seq}")
    if event.data["content"] != spoken(rows, event.kind):
        raise Broken(
            f"changed text in {event.first_seq}..{event.seq}: "
            f"{_difference(event.data['content'], spoken(rows, event.kind))}"
        )


def _fixed(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in MAY_DIFFER_IN_A_RUN}


def _difference(got: str, wanted: str) -> str:
    place = next((i for i, (a, b) in enumerate(zip(got, wanted, strict=False)) if a != b), None)
    place = min(len(got), len(wanted)) if place is None else place
    here = slice(max(0, place - 20), place + 40)
    return f"at {place}: {got[here]!r}, not {wanted[here]!r} (lengths {len(got)}, {len(wanted)})"


@contextmanager
def _opened(database: Path) -> Iterator[sqlite3.Connection]:
    """Read-only, so that checking changes nothing, not even the write-ahead log."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as connection:
        yield connection
