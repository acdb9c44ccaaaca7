"""Databases of every version can be opened, and none is damaged."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from voxpilot.agents.requests.purposes import PURPOSES, purpose_of
from voxpilot.storage.database import migrate as module
from voxpilot.storage.database import sqlite
from voxpilot.storage.database.migrate import NewerDatabase, migrate, steps, tables
from voxpilot.storage.database.request_rows import Request
from voxpilot.storage.database.tables import rows_of, select


def version(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        found: int = connection.execute("PRAGMA user_version").fetchone()[0]
        return found
    finally:
        connection.close()


def test_a_new_file_gets_all_tables_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "voxpilot.db"
    assert migrate(path) == version(path) == steps()[-1][0]
    assert path.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    assert {name for (name,) in found if not name.startswith("sqlite_")} == tables()
    assert not (tmp_path / "backups").exists()


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "voxpilot.db"
    migrate(path)
    before = path.read_bytes()
    migrate(path)
    assert path.read_bytes() == before


def test_a_backup_is_made_before_an_upgrade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "voxpilot.db"
    migrate(path)
    newer = [*steps(), (9000, "CREATE TABLE later (x TEXT);")]
    monkeypatch.setattr(module, "steps", lambda: newer)
    migrate(path)
    (copy,) = (tmp_path / "backups").iterdir()
    assert version(copy) == newer[-2][0]
    assert version(path) == 9000
    assert copy.stat().st_mode & 0o777 == 0o600


def test_a_failing_step_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "voxpilot.db"
    migrate(path)
    was = version(path)
    broken = [*steps(), (9000, "CREATE TABLE half (x TEXT);\nCREATE TABLE chats (x TEXT);")]
    monkeypatch.setattr(module, "steps", lambda: broken)
    with pytest.raises(sqlite3.OperationalError):
        migrate(path)
    assert version(path) == was
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)
    connection.close()


def test_an_upgrade_that_fails_leaves_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each attempt used to leave another one, until the disk was full."""
    path = tmp_path / "voxpilot.db"
    migrate(path)
    newer = [*steps(), (9000, "CREATE TABLE later (x TEXT);")]
    monkeypatch.setattr(module, "steps", lambda: newer)
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            migrate(path)
    assert list((tmp_path / "backups").iterdir()) == []
    migrate(path)
    [copy] = (tmp_path / "backups").iterdir()
    assert version(copy) == newer[-2][0]


def test_a_copy_gets_its_name_when_it_is_complete(tmp_path: Path) -> None:
    """What a killed program left is replaced by the next copy, and offered to nobody."""
    path = tmp_path / "voxpilot.db"
    migrate(path)
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "voxpilot-v1.part").write_bytes(b"x" * 100)
    with closing(sqlite.connect(path)) as connection:
        copy = sqlite.back_up(connection, path, "v1")
    assert list((tmp_path / "backups").iterdir()) == [copy]
    assert version(copy) == version(path)


def test_a_newer_file_is_refused_with_both_versions(tmp_path: Path) -> None:
    path = tmp_path / "voxpilot.db"
    migrate(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    with pytest.raises(NewerDatabase, match=f"9999.*{steps()[-1][0]}"):
        migrate(path)
    assert version(path) == 9999


def test_requests_of_an_older_version_get_their_purpose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "voxpilot.db"
    whole = steps()
    monkeypatch.setattr(module, "steps", lambda: whole[:19])
    migrate(path)
    methods = [*PURPOSES, "session/unheard_of"]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO requests (id, process_id, direction, rpc_id, method, subject, created_at)"
            " VALUES (?, 'k-1', 'out', '1', ?, '{}', 1.0)",
            [(f"k-1:{number}", method) for number, method in enumerate(methods)],
        )
    monkeypatch.undo()
    migrate(path)
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(select(Request)).fetchall()
    assert {row.method: row.purpose for row in rows_of(Request, found)} == {
        method: purpose_of(method) for method in methods
    }


def test_each_step_has_a_number_of_its_own() -> None:
    numbers = [number for number, _ in steps()]
    assert numbers == list(range(1, len(numbers) + 1))
