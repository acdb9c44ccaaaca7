"""Devices that are signed in, and one-time links.

Lives here: their rows. Secrets are kept as hashes only. Lives elsewhere: who
may do what (web/door/access.py).
"""

from __future__ import annotations

from voxpilot.storage.database import tables
from voxpilot.storage.database.device_rows import Device, SignInLink
from voxpilot.storage.database.sqlite import Batch, Database

_KEPT_SECONDS = 86400.0
"""How long a link is kept after it has expired."""


async def all_devices(db: Database) -> list[Device]:
    return tables.rows_of(Device, await db.rows(tables.select(Device)))


async def find_link(db: Database, code_hash: str) -> SignInLink | None:
    found = await db.rows(tables.select(SignInLink, "code_hash = ?"), (code_hash,))
    return tables.row_of(SignInLink, found[0]) if found else None


async def add_link(db: Database, link: SignInLink, now: float) -> None:
    """Store a new link, and delete those that expired long ago."""
    old = ("DELETE FROM links WHERE expires_at < ?", (now - _KEPT_SECONDS,))
    await db.commit(Batch(statements=[old, tables.insert(link)]))


async def use_link(db: Database, used: SignInLink, device: Device) -> None:
    """Turn a link into a device, in one step; the caller makes sure that a link is used only once."""
    spend = ("UPDATE links SET used_at = ? WHERE code_hash = ?", (used.used_at, used.code_hash))
    await db.commit(Batch(statements=[spend, tables.insert(device)]))


async def touch(db: Database, device: Device) -> None:
    sql = "UPDATE devices SET last_used_at = ? WHERE id = ?"
    await db.commit(Batch(statements=[(sql, (device.last_used_at, device.id))]))


async def confirm(db: Database, device: Device) -> None:
    sql = "UPDATE devices SET confirmed = 1 WHERE id = ?"
    await db.commit(Batch(statements=[(sql, (device.id,))]))


async def remove(db: Database, device: Device) -> None:
    await db.commit(Batch(statements=[tables.delete(device)]))
