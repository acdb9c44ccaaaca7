"""Bringing a database file up to this program's version.

Lives here: numbered steps, each in one transaction, after a backup copy; and
refusing a file from a newer program. Lives elsewhere: the steps (migrations/).
"""

from __future__ import annotations

import os
import sqlite3
import time
from importlib.resources import files
from pathlib import Path

from voxpilot.errors import VoxPilotError
from voxpilot.killpoints import reach
from voxpilot.storage.database import connect


class NewerDatabase(VoxPilotError):
    """The file was written by a newer program."""

    code = "newer-database"


def migrate(path: Path) -> int:
    """Create or upgrade the file; returns its version."""
    existed = path.exists() and path.stat().st_size > 0
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = connect(path)
    try:
        return _upgrade(connection, path, existed)
    finally:
        connection.close()


def steps() -> list[tuple[int, str]]:
    """Each step's number and SQL, in order."""
    folder = files("voxpilot.storage") / "migrations"
    found = sorted((int(entry.name[:4]), entry) for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(number, entry.read_text()) for number, entry in found]


def _upgrade(connection: sqlite3.Connection, path: Path, existed: bool) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    todo = [(number, sql) for number, sql in steps() if number > version]
    newest = steps()[-1][0]
    if version > newest:
        raise NewerDatabase(
            f"The database has version {version}, and this program knows versions up to {newest}.",
            "Use the newer VoxPilot, or put back a copy from the backups folder beside the database.",
        )
    if todo and existed and version:
        _back_up(connection, path, version)
    for number, sql in todo:
        _run_step(connection, number, sql)
    return newest


def _run_step(connection: sqlite3.Connection, number: int, sql: str) -> None:
    connection.execute("BEGIN EXCLUSIVE")
    try:
        for statement in _statements(sql):
            connection.execute(statement)
            reach("mid-migration")
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(sql: str) -> list[str]:
    found, pending = [], ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    return found


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> None:
    folder = path.parent / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    target = folder / f"{path.stem}-v{version}-{time.strftime('%Y%m%d-%H%M%S')}.db"
    os.close(os.open(target, os.O_RDWR | os.O_CREAT, 0o600))
    copy = sqlite3.connect(target)
    with copy:
        connection.backup(copy)
    copy.close()
