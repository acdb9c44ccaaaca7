"""Devices that are signed in, and one-time links.

Lives here: their rows. Secrets are kept as hashes only. Lives elsewhere: who
may do what (web/access.py).
"""

from __future__ import annotations

from voxpilot.storage import tables
from voxpilot.storage.database import Batch, Database
from voxpilot.storage.rows import Device, Link

_KEPT_SECONDS = 86400.0
"""How long a link is kept after it is of no more use."""


async def all_devices(db: Database) -> list[Device]:
    return tables.rows_of(Device, await db.rows(tables.select(Device)))


async def find_link(db: Database, code_hash: str) -> Link | None:
    found = await db.rows(tables.select(Link, "code_hash = ?"), (code_hash,))
    return tables.row_of(Link, found[0]) if found else None


async def add_link(db: Database, link: Link, now: float) -> None:
    """Keep a new link, and forget those long gone."""
    old = ("DELETE FROM links WHERE expires_at < ?", (now - _KEPT_SECONDS,))
    await db.commit(Batch(statements=[old, tables.insert(link)]))


async def use_link(db: Database, used: Link, device: Device) -> None:
    """A link becomes a device, in one step; the caller lets only one use of a link through."""
    spend = ("UPDATE links SET used_at = ? WHERE code_hash = ?", (used.used_at, used.code_hash))
    await db.commit(Batch(statements=[spend, tables.insert(device)]))


async def touch(db: Database, device: Device) -> None:
    sql = "UPDATE devices SET last_used_at = ? WHERE id = ?"
    await db.commit(Batch(statements=[(sql, (device.last_used_at, device.id))]))


async def remove(db: Database, device: Device) -> None:
    await db.commit(Batch(statements=[tables.delete(device)]))
