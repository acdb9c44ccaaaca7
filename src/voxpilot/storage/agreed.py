"""The commands of agents that people have agreed to, across all chats.

Lives here: reading and writing them. Lives elsewhere: asking (runtime/agreeing.py),
what is part of a command (agents/catalog.py).
"""

from __future__ import annotations

from voxpilot.storage import tables
from voxpilot.storage.database import Batch, Database
from voxpilot.storage.rows import AgreedCommand


async def list_agreed(db: Database) -> list[AgreedCommand]:
    return tables.rows_of(AgreedCommand, await db.rows(tables.select(AgreedCommand)))


async def note_agreed(db: Database, row: AgreedCommand) -> None:
    await db.commit(Batch(statements=[tables.insert(row)]))
