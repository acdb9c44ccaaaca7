"""Folded chats: the head and the blocks as they stood when no turn was open.

Lives here: keeping and reading what the fold made, so that opening a chat
costs what it shows. All of it can be made again from the event log. Lives
elsewhere: the fold itself (chat/transcript.py), when to keep it (ledger.py).
"""

from __future__ import annotations

import sqlite3
from typing import Any

import orjson

from voxpilot.chat.events import Json
from voxpilot.chat.transcript import KEPT_BLOCKS, Transcript
from voxpilot.storage.database import Batch
from voxpilot.storage.event_log import read_all

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
    kept = connection.execute("SELECT seq, head FROM folds WHERE chat_id = ?", (chat_id,)).fetchone()
    if kept is None:
        transcript = Transcript()
    else:
        transcript = Transcript(orjson.loads(kept[1]), _newest(connection, chat_id))
    for kind, body in read_all(connection, chat_id, transcript.head["seq"]):
        transcript.apply(kind, body)
    return transcript


def older_blocks(connection: sqlite3.Connection, chat_id: str, before: int, limit: int) -> list[Json]:
    """Kept blocks before a position, oldest first."""
    rows = connection.execute(
        "SELECT body FROM blocks WHERE chat_id = ? AND pos < ? ORDER BY pos DESC LIMIT ?",
        (chat_id, before, limit),
    ).fetchall()
    return [orjson.loads(body) for (body,) in reversed(rows)]


def _newest(connection: sqlite3.Connection, chat_id: str) -> list[Json]:
    """The newest blocks and all those of the newest turn: what later events may still change."""
    found = older_blocks(connection, chat_id, 2**62, KEPT_BLOCKS)
    if not found or found[-1].get("turn") is None or found[0].get("turn") != found[-1].get("turn"):
        return found
    rows = connection.execute(
        "SELECT body FROM blocks WHERE chat_id = ? AND turn = ? AND pos < ? ORDER BY pos",
        (chat_id, found[-1]["turn"], found[0]["pos"]),
    )
    return [orjson.loads(body) for (body,) in rows] + found
