"""The event log: what happened in a chat, in order, never edited.

Lives here: the stored form of an event, reading events after a number, joining
runs of deltas for readers that catch up. Lives elsewhere: what events mean
(chat/events.py), appending them (ledger.py), waking readers (runtime/readers/wakeup.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing

import orjson

from voxpilot.chat.events import Event, Json
from voxpilot.chat.preview import DELTA_LIMIT, STREAM_LIMIT, preview
from voxpilot.storage.database.sqlite import Database
from voxpilot.values import dataclass

APPEND = "INSERT INTO events (chat_id, seq, kind, body, at, whole) VALUES (?, ?, ?, ?, ?, ?)"
DELTAS = frozenset({"text-delta", "thought-delta", "copilot-delta"})
PAGE = 2_000
PAGE_BYTES = 256_000
"""A batch ends with the event that reaches this size, so that a slow reader holds little memory."""
_JOINED_LIMIT = 4 * DELTA_LIMIT


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event as it is stored and streamed: its number, kind and JSON."""

    seq: int
    kind: str
    body: bytes


def numbered(event: Event, seq: int, at: float) -> Json:
    return {"seq": seq, "at": round(at, 3), **event.body()}


def encode(body: Json) -> tuple[Json, bytes, bytes | None]:
    """The body to show, its bytes and, if it is only a preview, the bytes of the full event."""
    whole = orjson.dumps(body)
    if len(whole) <= STREAM_LIMIT:
        return body, trimmed(whole), None
    shown = preview(body)
    return shown, trimmed(orjson.dumps(shown)), trimmed(whole)


def trimmed(dumped: bytes) -> bytes:
    """A copy in a buffer of the right size: orjson's own buffer is up to 36 times as large."""
    return bytes(memoryview(dumped))


async def read_after(db: Database, chat_id: str, after: int, limit: int = PAGE) -> list[Recorded]:
    """The next events after a number, oldest first, deltas joined; an empty list means there are none."""

    def read(connection: sqlite3.Connection) -> list[Recorded]:
        with closing(
            connection.execute(
                "SELECT seq, kind, body, at FROM events WHERE chat_id = ? AND seq > ? ORDER BY seq LIMIT ?",
                (chat_id, after, limit),
            )
        ) as rows:
            return list(join_deltas(_up_to(PAGE_BYTES, (_recorded(*row) for row in rows))))

    return await db.read(read)


def read_all(connection: sqlite3.Connection, chat_id: str, after: int) -> Iterator[tuple[str, Json, int]]:
    """Events after a number as they were recorded, for folding; with each its size."""
    rows = connection.execute(
        "SELECT seq, kind, body, at FROM events WHERE chat_id = ? AND seq > ? ORDER BY seq", (chat_id, after)
    )
    for seq, kind, body, at in rows:
        found = _read(seq, kind, body)
        yield (kind, found, len(body)) if found is not None else ("unknown", _unreadable(seq, at), 0)


def _recorded(seq: int, kind: str, body: bytes, at: float) -> Recorded:
    if _read(seq, kind, body) is not None:
        return Recorded(seq, kind, body)
    return Recorded(seq, "unknown", orjson.dumps(_unreadable(seq, at)))


def _read(seq: int, kind: str, body: bytes) -> Json | None:
    """None if the row is damaged, so that the others stay readable."""
    try:
        found = orjson.loads(body)
    except (orjson.JSONDecodeError, TypeError):
        return None
    if not isinstance(found, dict) or found.get("seq") != seq or not isinstance(found.get("at"), int | float):
        return None
    if kind in DELTAS and not isinstance(found.get("content"), str):
        return None
    return found


def _unreadable(seq: int, at: object) -> Json:
    return {
        "seq": seq,
        "at": at if isinstance(at, int | float) else 0.0,
        "raw": {"damaged": "The stored data here cannot be read."},
    }


async def whole_event(db: Database, chat_id: str, seq: int) -> Recorded | None:
    """One complete event."""
    found = await db.rows(
        "SELECT e.seq, e.kind, coalesce(e.whole, e.body) FROM events e JOIN chats c ON c.id = e.chat_id "
        "WHERE e.chat_id = ? AND e.seq = ? AND c.deleted = 0",
        (chat_id, seq),
    )
    return Recorded(*found[0]) if found else None


def join_deltas(events: Iterable[Recorded]) -> Iterator[Recorded]:
    """Neighbouring deltas of one message become one event with `first_seq` and `seq`."""
    run: list[Json] = []
    size = 0
    kind = ""
    for event in events:
        if event.kind not in DELTAS:
            yield from _joined(kind, run)
            run = []
            yield event
            continue
        body = orjson.loads(event.body)
        if run and (event.kind != kind or size > _JOINED_LIMIT or not _same_message(run[-1], body)):
            yield from _joined(kind, run)
            run, size = [], 0
        run.append(body)
        size += len(body["content"])
        kind = event.kind
    yield from _joined(kind, run)


def _up_to(size: int, events: Iterable[Recorded]) -> Iterator[Recorded]:
    """The first events, until they reach this size together."""
    for event in events:
        yield event
        size -= len(event.body)
        if size <= 0:
            return


def _same_message(one: Json, other: Json) -> bool:
    if "block" in one or "block" in other:
        return False
    names = ("message_id", "turn", "tool_call_id")
    return all(one.get(name) == other.get(name) for name in names)


def _joined(kind: str, run: list[Json]) -> Iterator[Recorded]:
    if not run:
        return
    body = run[0]
    if len(run) > 1:
        body = {
            **body,
            "first_seq": body["seq"],
            "seq": run[-1]["seq"],
            "last_at": run[-1]["at"],
            "content": "".join(delta["content"] for delta in run),
        }
    yield Recorded(body["seq"], kind, trimmed(orjson.dumps(body)))
