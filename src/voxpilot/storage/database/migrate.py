"""Bringing a database file up to this program's version.

Lives here: numbered steps, all in one transaction, after a backup copy; and
refusing a file from a newer program. Lives elsewhere: the steps (migrations/).
"""

from __future__ import annotations

import os
import re
import sqlite3
from functools import cache
from importlib.resources import files
from pathlib import Path

from voxpilot.errors import VoxPilotError
from voxpilot.killpoints import reach
from voxpilot.storage.database.sqlite import back_up, connect

_TABLE = re.compile(r"^CREATE TABLE (\w+)", re.MULTILINE)


class NewerDatabase(VoxPilotError):
    """The file was written by a newer program."""

    code = "newer-database"


def migrate(path: Path) -> int:
    """Create or upgrade the file; returns its version."""
    existed = path.exists() and path.stat().st_size > 0
    if not path.exists():  # only SQLite may open a file that may be in use (locked_files.py)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = connect(path)
    try:
        return _upgrade(connection, path, existed)
    finally:
        connection.close()


@cache
def steps() -> list[tuple[int, str]]:
    """Each step's number and SQL, in order."""
    folder = files("voxpilot.storage.database") / "migrations"
    found = sorted((int(entry.name[:4]), entry) for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(number, entry.read_text()) for number, entry in found]


def tables() -> set[str]:
    """The tables that the steps make; no step removes one. Running them all would delay a start."""
    return {name for _, sql in steps() for name in _TABLE.findall(sql)}


def _upgrade(connection: sqlite3.Connection, path: Path, existed: bool) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    known = steps()
    newest = known[-1][0]
    todo = [sql for number, sql in known if number > version]
    if version > newest:
        raise NewerDatabase(
            f"The database has version {version}, but this program supports versions up to {newest}.",
            "Use a newer VoxPilot, or run `voxpilot restore FILE` with a copy from the backups folder.",
        )
    copy = back_up(connection, path, f"v{version}") if todo and existed and version else None
    try:
        if todo:
            _run(connection, todo, newest)
    except Exception:
        if copy is not None:  # nothing was changed, and each attempt would leave another copy
            copy.unlink(missing_ok=True)
        raise
    return newest


def _run(connection: sqlite3.Connection, todo: list[str], version: int) -> None:
    """One transaction for all steps: each commit waits for the disk, and a new file needs every step."""
    connection.execute("BEGIN EXCLUSIVE")
    try:
        for statement in (statement for sql in todo for statement in statements(sql)):
            connection.execute(statement)
            reach("mid-migration")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def statements(sql: str) -> list[str]:
    """A step's statements, one by one."""
    found, pending = [], ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    return found
