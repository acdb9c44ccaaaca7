"""Backing up a whole data directory to one file while the server runs, and restoring it.

Lives here: the contents of such a file, checking it, and setting the replaced files aside; nothing is ever
deleted. Lives elsewhere: the commands (cli/keeping.py), databases that are damaged (rescue/).
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import shutil
import sqlite3
import stat
import tarfile
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Any

from voxpilot import __version__
from voxpilot.errors import VoxPilotError
from voxpilot.storage.database.history_mark import begin_another, mark_of
from voxpilot.storage.database.migrate import migrate, steps
from voxpilot.storage.database.opening import at_start, check, check_tables
from voxpilot.storage.database.sqlite import read_only
from voxpilot.storage.database.trouble import StorageDamaged
from voxpilot.storage.database.write_ahead_log import Ignored, ignored
from voxpilot.storage.directory.data_dir import is_inside

DATABASE = "voxpilot.db"
MANIFEST = "manifest.json"
COMPLETE = "complete.json"
"""The last member of a backup: the hash of every other one."""
SETTINGS = "config.toml"
SET_ASIDE = "set-aside"
_STAYS = frozenset({SET_ASIDE, "server.lock", "token", "token.lock", "backups", "scratch"})
"""Entries of the data directory that a restore does not replace."""
_OF_A_KEEPER = re.compile(r"keepers/[^/]+/(?!lock$|socket$|marks\.json)[^/]+")
_COUNTED = ("chats", "events")
_NOT_COPIED = frozenset({"lock", "socket", "marks.json", "marks.json.new"})


class BadBackup(VoxPilotError):
    """The file is not a VoxPilot backup, or is damaged."""

    code = "bad-backup"


def write_backup(data_dir: Path, settings_file: Path | None, target: Path) -> dict[str, Any]:
    """Copy everything into a new file that only its owner can read; returns a description of its contents."""
    database = data_dir / DATABASE
    if not database.exists() or not database.stat().st_size:
        raise BadBackup(f"There is no database in {data_dir}.", "There is nothing to back up.")
    if is_inside(target, data_dir):
        raise BadBackup(f"{target} is inside the data directory.", "Choose a file outside it.")
    try:
        check(database)
    except (sqlite3.Error, OSError) as error:
        raise explained(error, database) from error
    # The file gets its name when it is complete.
    part = target.with_name(f"{target.name}.part")
    try:
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        part.unlink(missing_ok=True)
        file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise BadBackup(f"{target} cannot be written: {error.strerror}.", "Choose another file.") from error
    try:
        with os.fdopen(file, "wb") as stream:
            manifest = _fill(stream, database, settings_file, target.parent)
            stream.flush()
            os.fsync(stream.fileno())
        part.rename(target)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error | OSError):
            raise explained(error, database) from error
        raise
    return manifest


def _fill(stream: Any, database: Path, settings_file: Path | None, room: Path) -> dict[str, Any]:
    # Next to the target, where there must be enough space anyway.
    with (
        tempfile.TemporaryDirectory(prefix=".voxpilot-", dir=room) as folder,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        copy = Path(folder) / DATABASE
        manifest = _copied(database, copy)
        contents = _Contents(archive)
        contents.add(MANIFEST, json.dumps(manifest, indent=1).encode())
        contents.add_file(DATABASE, copy)
        if settings_file is not None and settings_file.is_file():
            contents.add(SETTINGS, settings_file.read_bytes())
        # After the database: when the backup is used, later output of agents is read from here.
        for process in manifest["agents"]:
            _add_keeper(contents, database.parent / "keepers" / process)
        contents.finish()
    return manifest


class _Contents:
    """Records what goes into a backup; the last member lists it, so that nothing can be missing unnoticed."""

    def __init__(self, archive: tarfile.TarFile) -> None:
        self._archive = archive
        self._hashes: dict[str, str] = {}

    def add(self, name: str, data: bytes) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = len(data), 0o600, int(time.time())
        self._archive.addfile(info, io.BytesIO(data))
        self._hashes[name] = hashlib.sha256(data).hexdigest()

    def add_file(self, name: str, path: Path) -> None:
        with path.open("rb") as file:
            self._hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
        self._archive.add(path, name, filter=_private)

    def finish(self) -> None:
        self.add(COMPLETE, json.dumps(self._hashes, indent=1).encode())


def _copied(database: Path, copy: Path) -> dict[str, Any]:
    with (
        closing(read_only(database)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")
        problem = target.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise BadBackup(
                f"The database is damaged ({problem}), so it cannot be backed up.",
                "Run `voxpilot rescue` to save what can be read.",
            )
        return {
            "program": __version__,
            "taken_at": time.time(),
            "database_version": target.execute("PRAGMA user_version").fetchone()[0],
            "chats": target.execute("SELECT count(*) FROM chats").fetchone()[0],
            "events": target.execute("SELECT count(*) FROM events").fetchone()[0],
            "agents": [
                id for (id,) in target.execute("SELECT id FROM agent_processes WHERE state != 'ended'")
            ],
        }


def _add_keeper(contents: _Contents, folder: Path) -> None:
    """An agent's output. A file may grow or disappear meanwhile, so each is read completely first."""
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    for name in names:
        path = folder / name
        if name in _NOT_COPIED or not path.is_file():
            continue
        with suppress(FileNotFoundError):
            contents.add(f"keepers/{folder.name}/{name}", path.read_bytes())


def _private(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.mode, info.uid, info.gid, info.uname, info.gname = 0o600, 0, 0, "", ""
    return info


def check_source(backup: Path, data_dir: Path) -> None:
    """Raises BadBackup if a restore would move the backup itself."""
    stays = any(is_inside(backup, data_dir / name) for name in _STAYS)
    if is_inside(backup, data_dir) and not stays:
        raise BadBackup(
            f"{backup} is inside the data directory, whose files are about to be replaced.",
            "Move it elsewhere first.",
        )


def unpack(backup: Path, folder: Path) -> dict[str, Any]:
    """Check a backup, or a plain database file, and unpack it as a data directory into an empty folder."""
    try:
        with _opened(backup) as source:
            if tarfile.is_tarfile(source):
                source.seek(0)
                _extract(backup, source, folder)
            else:
                _take_bare(backup, folder)
        return _checked(folder)
    except (tarfile.TarError, sqlite3.Error, EOFError, ValueError, FileExistsError) as error:
        raise BadBackup(
            f"{backup} is damaged, or is not a backup: {error}.", "Use another backup."
        ) from error
    except OSError as error:
        raise explained(error, folder / DATABASE) from error


class _Source(io.FileIO):
    """A file of the person's: an error names it, because the files that are written may fail too."""

    def read(self, size: int | None = -1, /) -> bytes:
        try:
            return _read(self, size)
        except OSError as error:
            raise _unreadable(str(self.name), error) from error


def _read(file: io.FileIO, size: int | None) -> bytes:
    return io.FileIO.read(file, -1 if size is None else size) or b""


def _opened(path: Path) -> _Source:
    hint = "Choose a file made by `voxpilot backup`."
    try:
        kind = path.stat().st_mode
        if not stat.S_ISREG(kind):
            raise BadBackup(f"{path} is {'a folder' if stat.S_ISDIR(kind) else 'not a file'}.", hint)
        return _Source(path)
    except FileNotFoundError as error:
        raise BadBackup(f"{path} does not exist.", hint) from error
    except OSError as error:
        raise _unreadable(str(path), error) from error


def _unreadable(name: str, error: OSError) -> BadBackup:
    return BadBackup(f"{name} cannot be read: {error.strerror}.", "Check it, or use another backup.")


def _extract(backup: Path, stream: _Source, folder: Path) -> None:
    hashes: dict[str, str] = {}
    with tarfile.open(fileobj=stream, mode="r:") as archive:
        for member in archive:
            name = member.name
            is_known = name in (MANIFEST, DATABASE, SETTINGS, COMPLETE) or _OF_A_KEEPER.fullmatch(name)
            if not (member.isfile() and is_known and ".." not in name.split("/")):
                raise BadBackup(
                    f"{backup} is not a VoxPilot backup: it contains {name!r}.", "Use another backup."
                )
            source = archive.extractfile(member)
            assert source is not None
            hashes[name] = _write_out(source, folder / name)
    _check_complete(backup, folder, hashes)


def _write_out(source: IO[bytes], target: Path) -> str:
    """Returns the hash of what was written."""
    seen = hashlib.sha256()
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while chunk := source.read(1 << 20):
            seen.update(chunk)
            file.write(chunk)
    return seen.hexdigest()


def _check_complete(backup: Path, folder: Path, hashes: dict[str, str]) -> None:
    if hashes.pop(COMPLETE, None) is None or not {MANIFEST, DATABASE} <= hashes.keys():
        raise BadBackup(
            f"{backup} is incomplete: its end is missing.",
            "Copying or making it was probably interrupted. Copy it again, or use another backup.",
        )
    if json.loads((folder / COMPLETE).read_bytes()) != hashes:
        raise BadBackup(
            f"{backup} is damaged: its contents have changed.", "Copy it again, or use another backup."
        )


def _take_bare(backup: Path, folder: Path) -> None:
    """A single database file, such as those in `backups`, together with its write-ahead log."""
    for ending in ("", "-wal"):
        path = backup.with_name(backup.name + ending)
        if path.exists():
            with _opened(path) as source:
                _write_out(source, folder / (DATABASE + ending))


def _checked(folder: Path) -> dict[str, Any]:
    database = folder / DATABASE
    if ignored(database) is Ignored.SAVED:
        raise BadBackup(
            "The write-ahead log of this database is damaged. Changes stored after the damage would be lost.",
            "Set VOXPILOT_DATA_DIR to its folder and run `voxpilot rescue`, or use another backup.",
        )
    with closing(sqlite3.connect(database)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        newest = steps()[-1][0]
        if not 0 < version <= newest:
            raise BadBackup(
                f"The backup has database version {version}, but this "
                f"program supports versions up to {newest}.",
                "Use the VoxPilot version that made it, or a newer one.",
            )
        problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise BadBackup(f"The backup is damaged: {problem}.", "Use another backup.")
    migrate(database)
    try:
        check_tables(database)
    except StorageDamaged as error:
        raise BadBackup("This is not a VoxPilot backup, or it is damaged.", "Use another backup.") from error
    with closing(sqlite3.connect(database)) as connection:
        with connection:
            begin_another(connection)
        counts = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in _COUNTED}
    # The copy made before an upgrade is not needed, because there is a backup already.
    shutil.rmtree(folder / "backups", ignore_errors=True)
    for name in (MANIFEST, COMPLETE):
        (folder / name).unlink(missing_ok=True)
    return counts


def set_aside(data_dir: Path, why: str, keep: frozenset[str] = frozenset()) -> Path:
    """Move the current state into its own folder within the data directory; returns that folder."""
    folder = data_dir / SET_ASIDE / f"{why}-{time.strftime('%Y%m%d-%H%M%S')}"
    while folder.exists():
        folder = folder.with_name(f"{folder.name}+")
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700)
    # The database goes first: without it, an interrupted change stops the next start instead of confusing it.
    names = sorted(os.listdir(data_dir), key=lambda name: (not name.startswith(DATABASE), name))
    for name in names:
        if name not in _STAYS | keep and not name.startswith(".new-"):
            os.rename(data_dir / name, folder / name)
    return folder


def move_in(folder: Path, data_dir: Path) -> None:
    """Move an unpacked data directory into place; the database comes last."""
    names = sorted(os.listdir(folder), key=lambda name: (name.startswith(DATABASE), name))
    for name in [name for name in names if name not in _STAYS]:
        if (folder / name).is_dir() and (data_dir / name).is_dir():
            for inner in os.listdir(folder / name):
                if not (data_dir / name / inner).exists():  # the folder of a running agent stays
                    shutil.move(folder / name / inner, data_dir / name / inner)
        else:
            shutil.move(folder / name, data_dir / name)
    mark_of(data_dir / DATABASE).unlink(missing_ok=True)
    (data_dir / "keepers").mkdir(mode=0o700, exist_ok=True)


def explained(error: Exception, database: Path) -> VoxPilotError:
    """An error of a command that uses the data directory or makes one."""
    found = at_start(error, database)
    return BadBackup(found.message.replace("The server cannot start", "The operation failed"), found.hint)
