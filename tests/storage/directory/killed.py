"""A data directory as a killed server leaves it."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from voxpilot.storage.database.opening import open_up
from voxpilot.storage.database.sqlite import Batch, Database

TRUST = "INSERT INTO trusted_folders VALUES (?, 0)"
CHANGES = 5


async def left_by_a_killed_server(tmp_path: Path) -> Path:
    """Its database: the newest changes are in the write-ahead log only."""
    alive, left = tmp_path / "alive", tmp_path / "left"
    alive.mkdir()
    database = alive / "voxpilot.db"
    open_up(database)
    (alive / "keepers" / "p1").mkdir(parents=True)
    (alive / "keepers" / "p1" / "journal.00000000000000000000").write_bytes(b"VOXJRN1\n")
    async with Database(database) as db:
        for number in range(CHANGES):
            await db.commit(Batch(statements=[(TRUST, (f"/{number}",))]))
        shutil.copytree(alive, left)
    return left / "voxpilot.db"


def wal(database: Path) -> Path:
    return database.with_name("voxpilot.db-wal")


def contents(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".db-shm"]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
