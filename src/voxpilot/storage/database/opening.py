"""Checking the database before the server uses it.

Lives here: telling a first start from a missing database, and stopping with a clear message instead of
starting over. Nothing is changed until all checks have passed. Lives elsewhere: upgrading (migrate.py),
restoring (directory/backup.py, rescue/).
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from voxpilot.errors import OutOfFiles, StorageFull, VoxPilotError
from voxpilot.storage.database.history_mark import History, Marked, history_of, mark_of, read_mark
from voxpilot.storage.database.migrate import migrate, tables
from voxpilot.storage.database.sqlite import new_backup, read_only
from voxpilot.storage.database.trouble import (
    DiskFailed,
    StorageBusy,
    StorageDamaged,
    StorageReadOnly,
    explain,
)
from voxpilot.storage.database.write_ahead_log import Ignored, ignored, log_of

log = logging.getLogger(__name__)
_NOTHING_CHANGED = "Nothing was changed, and running agents keep working."


class DatabaseMissing(VoxPilotError):
    """The data directory was used before, but its database is gone."""

    code = "database-missing"


class ChangesMissing(VoxPilotError):
    """The database has lost transactions."""

    code = "changes-missing"


class CannotStart(VoxPilotError):
    """The server cannot start because of a problem with the disk."""

    code = "cannot-start"


def open_up(database: Path) -> None:
    """Create or upgrade the database; raises a VoxPilotError if that could lose anything."""
    try:
        if not check_first_start(database) and not check(database):
            _keep_log(database)
        migrate(database)
        check_tables(database)
    except (sqlite3.Error, OSError) as error:
        raise at_start(error, database) from error


def check_first_start(database: Path) -> bool:
    """Whether there never was a database; raises a VoxPilotError if there was one and it is gone."""
    if not _is_empty(database):
        return False
    _check_first_start(database)
    return True


def at_start(error: Exception, database: Path) -> VoxPilotError:
    """Why the server cannot start."""
    found = explain(error, database)
    match found:
        case StorageDamaged():
            return StorageDamaged(f"{database} is damaged, or is not a database.")
        case StorageFull():
            why, hint = "the disk is full", "Free some space and start again."
        case StorageReadOnly():
            why, hint = (
                "the data directory cannot be written to",
                "Set VOXPILOT_DATA_DIR to use another directory.",
            )
        case StorageBusy():
            why, hint = "another program has locked the database", "Close it and start again."
        case DiskFailed():
            why, hint = f"the disk reports an error ({error})", "Check the disk and start again."
        case OutOfFiles():
            why, hint = "too many files are open", "Start it with a higher limit (ulimit -n)."
        case _:
            return found
    return CannotStart(f"The server cannot start: {why}.", f"{hint} {_NOTHING_CHANGED}")


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except FileNotFoundError:
        return True


def _check_first_start(database: Path, is_log_read: bool = False) -> None:
    folder = database.parent
    wal = log_of(database)
    # A restore that was interrupted has set all of it aside.
    named = (mark_of(database), folder / "keepers", folder / "backups", wal, folder / "set-aside")
    traces = [path for path in named if path.exists() and not (is_log_read and path == wal)]
    if not traces:
        return
    what = "is empty" if database.exists() else "is missing"
    raise DatabaseMissing(
        f"The database {database} {what}, but this data directory has been used before "
        f"({', '.join(path.name for path in traces)}).",
        f"{_NOTHING_CHANGED} Put the file back, or run `voxpilot restore FILE` with a backup"
        f"{_newest_backup(folder)}, or `voxpilot rescue` to save what is left. "
        "To start over, move the data directory elsewhere.",
    )


def _newest_backup(folder: Path) -> str:
    found = sorted((folder / "backups").glob("*.db"), key=lambda path: path.stat().st_mtime)
    return f" (the newest here is {found[-1]})" if found else ""


def check(database: Path) -> bool:
    """Inspect it without changing it; raises a VoxPilotError if it is damaged or has lost changes.

    A server may be using it. Returns whether its log is complete, as far as that can be determined: false
    after a power cut, and for a copy of files that were in use.
    """
    if not database.is_file():
        raise StorageDamaged(f"{database} is not a file.")
    marked = read_mark(database)  # before the database, which a running server changes first
    unread = ignored(database)
    if unread is Ignored.SAVED:
        raise _log_damaged(database)
    with closing(read_only(database)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if not version and tables:
            raise StorageDamaged(f"{database} is an SQLite database, but not a VoxPilot database.")
        if not version:  # SQLite treats a file that was truncated near its beginning as empty
            _check_first_start(database, is_log_read=True)
            return unread is Ignored.NOTHING
        held = history_of(connection)
    if held is None or marked is None or held.id != marked.id:
        return unread is Ignored.NOTHING
    return _has_all(database, held, marked, unread) and unread is Ignored.NOTHING


def _log_damaged(database: Path) -> StorageDamaged:
    return StorageDamaged(f"{log_of(database)} is damaged. Changes stored after the damage would be lost.")


def _has_all(database: Path, held: History, marked: Marked, unread: Ignored) -> bool:
    """Whether it holds all transactions that its mark counts; raises a VoxPilotError if some are lost."""
    if held.commits >= marked.commits:
        return True
    if unread is Ignored.LAST:  # it was counted, so it was complete
        raise _log_damaged(database)
    # If there is a log, it may have been copied a moment before the mark.
    if held.commits >= marked.settled and not _is_empty(log_of(database)):
        return False
    raise ChangesMissing(
        f"The last {marked.commits - held.commits} changes are missing from {database}: "
        f"its file {database.name}-wal was deleted or cut short, or an older copy was put in its place.",
        f"{_NOTHING_CHANGED} Put the file back. If it is lost, run `voxpilot rescue --apply` to continue "
        "with what is there, or `voxpilot restore FILE` to use a backup.",
    )


def _keep_log(database: Path) -> None:
    """What is incomplete at its end is not used, but may have been damaged and not interrupted."""
    copy = new_backup(database, "incomplete", ".db-wal")
    shutil.copyfile(log_of(database), copy)
    log.warning("the end of %s is incomplete and was not used; a copy is in %s", log_of(database), copy)


def check_tables(database: Path) -> None:
    """Raises StorageDamaged if one of our tables is missing."""
    with closing(sqlite3.connect(database)) as connection:
        found = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    missing = tables() - {name for (name,) in found}
    if missing:
        raise StorageDamaged(f"{database} is damaged: it lacks {', '.join(sorted(missing))}.")
