"""Folded chats: the head and the blocks as they stood when no turn was open.

Lives here: keeping and reading what the fold made, so that opening a chat
costs what it shows. All of it can be made again from the event log. Lives
elsewhere: the fold itself (chat/transcript.py), when to keep it (ledger.py).
"""

from __future__ import annotations

import logging
import sqlite3
from typing import Any

import orjson

from voxpilot.chat.blocks import KEPT_BLOCKS, new_head
from voxpilot.chat.events import Json
from voxpilot.chat.transcript import Transcript, fold
from voxpilot.storage.database import Batch
from voxpilot.storage.event_log import read_all

log = logging.getLogger(__name__)
_KEEP_BLOCK = (
    "INSERT INTO blocks (chat_id, pos, turn, body) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (chat_id, pos) DO UPDATE SET body = excluded.body"
)
_KEEP_HEAD = (
    "INSERT INTO folds (chat_id, seq, head) VALUES (?, ?, ?) "
    "ON CONFLICT (chat_id) DO UPDATE SET seq = excluded.seq, head = excluded.head"
)


def keep(batch: Batch, chat_id: str, transcript: Transcript) -> None:
    """Add to the batch whatever the fold changed since it was last kept."""
    head = transcript.head
    batch.statements.append((_KEEP_HEAD, (chat_id, head["seq"], orjson.dumps(head))))
    blocks: list[tuple[Any, ...]] = [
        (chat_id, pos, block.get("turn"), orjson.dumps(block)) for pos, block in transcript.changed.items()
    ]
    if blocks:
        batch.many.append((_KEEP_BLOCK, blocks))


def load(connection: sqlite3.Connection, chat_id: str) -> Transcript:
    """The fold of all events: what was kept, and then the events after it."""
    transcript = _kept(connection, chat_id) or Transcript()
    for kind, body in read_all(connection, chat_id, transcript.head["seq"]):
        transcript.apply(kind, body)
    return transcript


def older_blocks(connection: sqlite3.Connection, chat_id: str, before: int, limit: int) -> list[Json]:
    """Kept blocks before a position, oldest first."""
    try:
        return _kept_blocks(connection, chat_id, before, limit)
    except _Spoilt:
        log.warning("kept blocks of chat %s cannot be read: folded anew from its events", chat_id)
        blocks = fold(read_all(connection, chat_id, 0)).blocks
        return [block for block in blocks if block["pos"] < before][-limit:]


class _Spoilt(Exception):
    """What was kept is not what we keep."""


def _read(kept: bytes) -> Json:
    try:
        value = orjson.loads(kept)
    except (orjson.JSONDecodeError, TypeError) as error:
        raise _Spoilt from error
    if not isinstance(value, dict):
        raise _Spoilt
    return value


def _kept(connection: sqlite3.Connection, chat_id: str) -> Transcript | None:
    """The fold as it was kept. If that is spoilt, none: the next time it is kept, it is kept whole."""
    found = connection.execute("SELECT seq, head FROM folds WHERE chat_id = ?", (chat_id,)).fetchone()
    if found is None:
        return None
    try:
        head = _read(found[1])
        if head.get("seq") != found[0] or not head.keys() >= new_head().keys():
            raise _Spoilt
        return Transcript(head, _newest(connection, chat_id))
    except _Spoilt:
        log.warning("the kept fold of chat %s cannot be read: folded anew from its events", chat_id)
        return None


def _kept_blocks(connection: sqlite3.Connection, chat_id: str, before: int, limit: int) -> list[Json]:
    rows = connection.execute(
        "SELECT body FROM blocks WHERE chat_id = ? AND pos < ? ORDER BY pos DESC LIMIT ?",
        (chat_id, before, limit),
    ).fetchall()
    return [_read(body) for (body,) in reversed(rows)]


def _newest(connection: sqlite3.Connection, chat_id: str) -> list[Json]:
    """The newest blocks and all those of the newest turn: what later events may still change."""
    found = _kept_blocks(connection, chat_id, 2**62, KEPT_BLOCKS)
    if not found or found[-1].get("turn") is None or found[0].get("turn") != found[-1].get("turn"):
        return found
    rows = connection.execute(
        "SELECT body FROM blocks WHERE chat_id = ? AND turn = ? AND pos < ? ORDER BY pos",
        (chat_id, found[-1]["turn"], found[0]["pos"]),
    )
    return [_read(body) for (body,) in rows] + found
