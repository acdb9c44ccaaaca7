"""The agents' commands that people have approved, across all chats.

Lives here: reading and writing them. Lives elsewhere: asking (runtime/processes/command_approval.py),
what is part of a command (agents/installed/catalog.py).
"""

from __future__ import annotations

from voxpilot.storage.database import tables
from voxpilot.storage.database.rows import AgreedCommand
from voxpilot.storage.database.sqlite import Batch, Database


async def list_agreed(db: Database) -> list[AgreedCommand]:
    return tables.rows_of(AgreedCommand, await db.rows(tables.select(AgreedCommand)))


async def note_agreed(db: Database, row: AgreedCommand) -> None:
    await db.commit(Batch(statements=[tables.insert(row)]))
