"""Answers kept by key: the same key gets the same answer.

Lives here: finding one. Lives elsewhere: keeping one, in the step it answers
(ledger.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json
from voxpilot.storage import tables
from voxpilot.storage.database import Database
from voxpilot.storage.rows import Reply


async def find_reply(db: Database, key: str) -> Json | None:
    found = await db.rows(tables.select(Reply, "key = ?"), (key,))
    return tables.row_of(Reply, found[0]).reply if found else None
