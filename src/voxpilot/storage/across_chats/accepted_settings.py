"""The settings file as a person last accepted it.

Lives here: its one row, and reading accepted settings and commands while no server has the database open.
Lives elsewhere: what needs acceptance (settings/consent.py, agents/installed/approved_commands.py).
"""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import orjson

from voxpilot.chat.events import Json
from voxpilot.errors import VoxPilotError
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.database import tables
from voxpilot.storage.database.migrate import steps
from voxpilot.storage.database.rows import AgreedCommand
from voxpilot.storage.database.sqlite import Batch, Database, read_only
from voxpilot.storage.database.trouble import StorageFailed, explain

_READ = "SELECT value FROM accepted_settings"


class OtherDataDir(VoxPilotError):
    """The settings file names another data directory, without anything that was accepted."""

    code = "other-data-dir"


def read_accepted(path: Path) -> Json | None:
    """Read before the server opens its database; None if nothing was accepted yet."""
    with closing(sqlite3.connect(path)) as connection:
        return _first(connection.execute(_READ).fetchall())


def find_accepted(path: Path) -> Json | None:
    """The same from a database that may be missing or of another version; it is not changed."""
    try:
        with closing(read_only(path)) as connection:
            return _first(connection.execute(_READ).fetchall())
    except sqlite3.Error:
        return None


def all_agreed(path: Path) -> tuple[Json | None, list[AgreedCommand]]:
    """The accepted settings and agent commands; raises a VoxPilotError if they cannot be read."""
    try:
        with closing(read_only(path)) as connection:
            connection.execute("BEGIN")
            version, newest = connection.execute("PRAGMA user_version").fetchone()[0], steps()[-1][0]
            if version != newest:
                text = f"The database has version {version}, but this program needs version {newest}."
                raise StorageFailed(text, "Start the server once to upgrade an older database.")
            commands = connection.execute(tables.select(AgreedCommand)).fetchall()
            return _first(connection.execute(_READ).fetchall()), tables.rows_of(AgreedCommand, commands)
    except sqlite3.Error as error:
        raise explain(error, path) from error


def check_data_dir(live: LiveSettings) -> None:
    """Accepted settings are in the data directory: in another one, the whole file would count as accepted."""
    usual, wanted = live.usual_data_dir(), live.now
    if usual is None or find_accepted(usual / wanted.database.name) is None:
        return
    agreed = find_accepted(wanted.database)
    if agreed is None or agreed.get("data_dir") != str(wanted.data_dir):
        raise OtherDataDir(
            f"{live.path} names the data directory {wanted.data_dir}, but VoxPilot's data is in {usual}.",
            "If you did not write that line, remove it. To keep your data, move it to that directory. "
            "To start without it, start the server once with "
            f"VOXPILOT_DATA_DIR={shlex.quote(str(wanted.data_dir))}.",
        )


async def accepted(db: Database) -> Json | None:
    return _first(await db.rows(_READ))


async def note_accepted(db: Database, value: Json, at: float) -> None:
    sql = "INSERT OR REPLACE INTO accepted_settings (id, value, at) VALUES (1, ?, ?)"
    await db.commit(Batch(statements=[(sql, (orjson.dumps(value).decode(), at))]))


def _first(rows: list[tuple[str]]) -> Json | None:
    return orjson.loads(rows[0][0]) if rows else None
