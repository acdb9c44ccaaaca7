"""Folders that people trusted on a card, across all chats.

Lives here: listing and removing them. Lives elsewhere: adding one, which is a
step of its chat (runtime/processes/trust.py).
"""

from __future__ import annotations

from voxpilot.storage.database import tables
from voxpilot.storage.database.rows import TrustedFolder
from voxpilot.storage.database.sqlite import Batch, Database


async def list_folders(db: Database) -> list[TrustedFolder]:
    return tables.rows_of(TrustedFolder, await db.rows(f"{tables.select(TrustedFolder)} ORDER BY path"))


async def remove_folder(db: Database, folder: TrustedFolder) -> None:
    await db.commit(Batch(statements=[tables.delete(folder)]))
