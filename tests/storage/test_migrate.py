"""Databases of every version open, and none is harmed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from voxpilot.storage import migrate as module
from voxpilot.storage.migrate import NewerDatabase, migrate, steps


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


def test_a_newer_file_is_refused_with_both_versions(tmp_path: Path) -> None:
    path = tmp_path / "voxpilot.db"
    migrate(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    with pytest.raises(NewerDatabase, match=f"9999.*{steps()[-1][0]}"):
        migrate(path)
    assert version(path) == 9999


def test_each_step_has_a_number_of_its_own() -> None:
    numbers = [number for number, _ in steps()]
    assert numbers == list(range(1, len(numbers) + 1))
