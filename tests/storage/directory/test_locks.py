"""A server keeps SQLite's locks for as long as it uses the database.

A process loses its locks on a file when it closes any descriptor of that file. Another program that closes
its connection then deletes the log, and whatever the server commits afterwards is lost.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from voxpilot.assistant.tools import read_file
from voxpilot.assistant.tools.outcome import ToolFailed
from voxpilot.errors import VoxPilotError
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.sqlite import Batch, Database, back_up
from voxpilot.storage.database.trouble import StorageDamaged, explain
from voxpilot.workspace import files
from voxpilot.workspace.folder import PathRefused

TRUST = "INSERT INTO trusted_folders VALUES (?, 0)"
ASK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(*[name for (name,) in connection.execute("SELECT path FROM trusted_folders ORDER BY path")])
connection.close()
"""


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    path = tmp_path / "voxpilot.db"
    migrate(path)
    async with Database(path) as db:
        await db.commit(Batch(statements=[(TRUST, ("/before",))]))
        yield db


def code(number: int) -> sqlite3.Error:
    error = sqlite3.DatabaseError("for the test")
    error.sqlite_errorcode = number
    return error


def damage(path: Path) -> None:
    assert isinstance(explain(code(sqlite3.SQLITE_CORRUPT), path), StorageDamaged)


def read_for_an_agent(path: Path) -> None:
    with pytest.raises(PathRefused, match="VoxPilot's database"):
        files.read([str(path.parent)], str(path))


def look_for_an_agent(path: Path) -> None:
    with pytest.raises(PathRefused, match="VoxPilot's database"):
        files.look([str(path.parent)], str(path))


def write_for_an_agent(path: Path) -> None:
    with pytest.raises(PathRefused, match="VoxPilot's database"):
        files.write([str(path.parent)], str(path), "x", None, "n")


def read_by_another_name(path: Path) -> None:
    path.with_name("link").symlink_to(path.name)
    with pytest.raises(PathRefused, match="VoxPilot's database"):
        files.read([str(path.parent)], str(path.with_name("link")))


def read_the_index(path: Path) -> None:
    """Its locks protect readers from one another."""
    with pytest.raises(PathRefused, match="VoxPilot's database"):
        files.read([str(path.parent)], f"{path}-shm")


def read_for_the_assistant(path: Path) -> None:
    with pytest.raises(VoxPilotError, match="VoxPilot's database"):
        read_file._read_inside([str(path.parent)], read_file.ReadFile(path=str(path)))


def read_outside_for_the_assistant(path: Path) -> None:
    file = read_file._look(str(path))
    with pytest.raises((VoxPilotError, ToolFailed), match="VoxPilot's database"):
        read_file._read_outside(file, read_file.ReadFile(path=str(path)))


@pytest.mark.parametrize(
    "use",
    [
        damage,
        read_for_an_agent,
        look_for_an_agent,
        write_for_an_agent,
        read_by_another_name,
        read_the_index,
        read_for_the_assistant,
        read_outside_for_the_assistant,
        migrate,
    ],
)
async def test_commits_stay_visible_after_the_file_was_used(db: Database, use: Callable[[Path], Any]) -> None:
    await db.rows("SELECT 1")
    use(db.path)
    assert seen_by_others(db.path) == ["/before"]
    assert db.path.with_name("voxpilot.db-wal").exists(), "another program deleted the log"
    await db.commit(Batch(statements=[(TRUST, ("/later",))]))
    assert seen_by_others(db.path) == ["/before", "/later"]


def seen_by_others(path: Path) -> list[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", ASK, path], capture_output=True, text=True, check=True
    ).stdout.split()


opened: list[str] | None = None
"""What Python opens, while a test wants to know."""


def note(event: str, arguments: tuple[Any, ...]) -> None:
    if opened is not None and event == "open":
        opened.append(os.fspath(arguments[0]) if isinstance(arguments[0], str | Path) else "")


async def test_only_sqlite_opens_a_database_that_is_in_use(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    sys.addaudithook(note)  # there is no way to remove it
    seen: list[str] = []
    monkeypatch.setattr(sys.modules[__name__], "opened", seen)
    for number in range(1, 30):
        explain(code(number), db.path)
    back_up(db._connection, db.path, "test")
    migrate(db.path)
    assert db.is_in_place()
    await db.commit(Batch(statements=[(TRUST, ("/later",))]))
    await db.rows("SELECT 1")
    assert any(path.endswith("-probe") for path in seen), "the test sees nothing"
    assert not [path for path in seen if path.endswith(("voxpilot.db", "voxpilot.db-shm"))]
