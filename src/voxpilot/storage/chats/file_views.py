"""Which version of a file a session has seen.

Lives here: finding the version a session last saw. Lives elsewhere: noting it
(runtime/callbacks/files.py), what a version is (workspace/files.py).
"""

from __future__ import annotations

from voxpilot.storage.database.sqlite import Database


async def last_seen(db: Database, session_id: str, path: str) -> str | None:
    """The version of the file that this session last read or wrote; None if it never did."""
    found = await db.rows(
        "SELECT version FROM file_views WHERE session_id = ? AND path = ? ORDER BY at DESC LIMIT 1",
        (session_id, path),
    )
    return str(found[0][0]) if found else None
