"""Folded chats: the head and the blocks as they were when no turn was open.

Lives here: storing and reading folds, so that the cost of opening a chat depends only on what is shown. A
fold can always be rebuilt from the event log. Lives elsewhere: the fold itself (chat/transcript.py), when to
store it (ledger.py).
"""

from __future__ import annotations

import logging
import sqlite3
import time
from typing import TYPE_CHECKING, Any, cast

import orjson

from voxpilot.chat.blocks import KEPT_BLOCKS, new_head
from voxpilot.chat.events import Json
from voxpilot.chat.transcript import Transcript, fold
from voxpilot.storage.chats.event_log import read_all
from voxpilot.storage.database.sqlite import Batch

if TYPE_CHECKING:
    from voxpilot.chat.head_shapes import Head
    from voxpilot.chat.shapes import Block

log = logging.getLogger(__name__)
IN_MEMORY = 2
"""How many times larger stored data is in memory, approximately."""
BREATHER_EVENTS, BREATHER_SECONDS = 500, 0.0005
"""How often a long fold lets other threads run."""
_KEEP_BLOCK = (
    "INSERT INTO blocks (chat_id, pos, turn, body) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (chat_id, pos) DO UPDATE SET body = excluded.body"
)
_KEEP_HEAD = (
    "INSERT INTO folds (chat_id, seq, head) VALUES (?, ?, ?) "
    "ON CONFLICT (chat_id) DO UPDATE SET seq = excluded.seq, head = excluded.head"
)


def keep(batch: Batch, chat_id: str, transcript: Transcript) -> None:
    """Add everything the fold has changed since it was last stored to the batch."""
    head = transcript.head
    batch.statements.append((_KEEP_HEAD, (chat_id, head["seq"], orjson.dumps(head))))
    blocks: list[tuple[Any, ...]] = [
        (chat_id, pos, block.get("turn"), orjson.dumps(block)) for pos, block in transcript.changed.items()
    ]
    if blocks:
        batch.many.append((_KEEP_BLOCK, blocks))


def load(connection: sqlite3.Connection, chat_id: str, since: int | None = None) -> Transcript:
    """The fold of all events: the stored fold, and then the events after it.

    It contains the blocks that events may still change, and all from the position `since` on.
    """
    transcript = _kept(connection, chat_id, since) or Transcript()
    for number, (kind, body, size) in enumerate(read_all(connection, chat_id, transcript.head["seq"])):
        transcript.apply(kind, body)
        transcript.replayed += size
        transcript.size += IN_MEMORY * size
        if number % BREATHER_EVENTS == BREATHER_EVENTS - 1:
            time.sleep(BREATHER_SECONDS)
    return transcript


def to_fold(connection: sqlite3.Connection, chat_id: str) -> int:
    """How many events `load` would have to read."""
    sql = (
        "SELECT c.last_seq - coalesce(f.seq, 0) FROM chats c LEFT JOIN folds f ON f.chat_id = c.id "
        "WHERE c.id = ?"
    )
    found = connection.execute(sql, (chat_id,)).fetchone()
    return int(found[0]) if found else 0


def kept_up_to(connection: sqlite3.Connection, chat_id: str) -> int:
    """The number of the last event in the stored fold."""
    found = connection.execute("SELECT seq FROM folds WHERE chat_id = ?", (chat_id,)).fetchone()
    return found[0] if found else 0


def older_blocks(connection: sqlite3.Connection, chat_id: str, before: int, limit: int) -> list[Block]:
    """Stored blocks before a position, oldest first."""
    try:
        return _kept_blocks(connection, chat_id, before, limit)
    except _Spoilt:
        log.warning("stored blocks of chat %s cannot be read: rebuilding them from its events", chat_id)
        blocks = fold((kind, body) for kind, body, _ in read_all(connection, chat_id, 0)).blocks
        return [block for block in blocks if block["pos"] < before][-limit:]


class _Spoilt(Exception):
    """The stored fold is damaged."""


def _read(kept: bytes) -> Json:
    try:
        value = orjson.loads(kept)
    except (orjson.JSONDecodeError, TypeError) as error:
        raise _Spoilt from error
    if not isinstance(value, dict):
        raise _Spoilt
    return value


def _block(kept: bytes) -> Block:
    return cast("Block", _read(kept))


def _kept(connection: sqlite3.Connection, chat_id: str, since: int | None) -> Transcript | None:
    """The stored fold, or none if it is corrupt; it is then stored completely the next time."""
    found = connection.execute("SELECT seq, head FROM folds WHERE chat_id = ?", (chat_id,)).fetchone()
    if found is None:
        return None
    try:
        head = _read(found[1])
        if head.get("seq") != found[0] or not head.keys() >= new_head().keys():
            raise _Spoilt
        bodies = _newest(connection, chat_id, (head["turn"] or {}).get("id"))
        if since is not None and bodies:
            bodies = _since(connection, chat_id, min(since, _block(bodies[0])["pos"]))
        transcript = Transcript(cast("Head", head), map(_block, bodies))
        transcript.size = IN_MEMORY * sum(map(len, bodies))
        return transcript
    except _Spoilt:
        log.warning("the stored fold of chat %s cannot be read: rebuilding it from its events", chat_id)
        return None


def _kept_blocks(connection: sqlite3.Connection, chat_id: str, before: int, limit: int) -> list[Block]:
    return [_block(body) for body in _bodies(connection, chat_id, before, limit)]


def _bodies(connection: sqlite3.Connection, chat_id: str, before: int, limit: int) -> list[bytes]:
    rows = connection.execute(
        "SELECT body FROM blocks WHERE chat_id = ? AND pos < ? ORDER BY pos DESC LIMIT ?",
        (chat_id, before, limit),
    ).fetchall()
    return [body for (body,) in reversed(rows)]


def _since(connection: sqlite3.Connection, chat_id: str, since: int) -> list[bytes]:
    sql = "SELECT body FROM blocks WHERE chat_id = ? AND pos >= ? ORDER BY pos"
    return [body for (body,) in connection.execute(sql, (chat_id, since))]


def _newest(connection: sqlite3.Connection, chat_id: str, turn: str | None) -> list[bytes]:
    """The newest blocks and all blocks of the open (or else the newest) turn, because events may still change
    them."""
    found = _bodies(connection, chat_id, 2**62, KEPT_BLOCKS)
    turn = turn or (_read(found[-1]).get("turn") if found else None)
    if turn is None or len(found) < KEPT_BLOCKS:
        return found
    rows = connection.execute(
        "SELECT body FROM blocks WHERE chat_id = ? AND turn = ? AND pos < ? ORDER BY pos",
        (chat_id, turn, _read(found[0])["pos"]),
    )
    return [body for (body,) in rows] + found
