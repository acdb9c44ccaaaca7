"""Answers stored by key: the same key gets the same answer.

Lives here: finding one, and deleting old ones. Lives elsewhere: storing one, in the step it answers
(ledger.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json
from voxpilot.storage.database import tables
from voxpilot.storage.database.rows import Reply
from voxpilot.storage.database.sqlite import Batch, Database

DROPPED_AT_ONCE = 5000


async def find_reply(db: Database, key: str) -> Json | None:
    found = await db.rows(tables.select(Reply, "key = ?"), (key,))
    return tables.row_of(Reply, found[0]).reply if found else None


async def drop_replies(db: Database, before: float) -> None:
    """Delete keys that nobody will send again, a few thousand at a time."""
    sql = f"SELECT key FROM {Reply.TABLE} WHERE at < ? LIMIT {DROPPED_AT_ONCE}"
    if old := await db.rows(sql, (before,)):
        await db.commit(Batch(many=[(f"DELETE FROM {Reply.TABLE} WHERE key = ?", old)]))
