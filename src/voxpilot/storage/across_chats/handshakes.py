"""What each agent reported about itself when it was last started.

Lives here: reading and writing those rows, one for each agent. Lives
elsewhere: what the words mean (agents/installed/capabilities.py).
"""

from __future__ import annotations

from voxpilot.storage.database import tables
from voxpilot.storage.database.rows import Sighting
from voxpilot.storage.database.sqlite import Batch, Database


async def sightings(db: Database) -> dict[str, Sighting]:
    """By the agent's id."""
    found = await db.read(
        lambda connection: tables.rows_of(Sighting, connection.execute(tables.select(Sighting)))
    )
    return {row.agent: row for row in found}


async def note_sighting(db: Database, row: Sighting) -> None:
    batch = Batch()
    batch.statements.append(tables.insert(row))
    await db.commit(batch)
