"""A start with a damaged, emptied or lost database stops with a clear message and changes nothing."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.machine.disk import can_mount, small_disk
from tests.storage.directory.killed import TRUST, contents, left_by_a_killed_server, wal
from voxpilot.errors import VoxPilotError
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.opening import CannotStart, ChangesMissing, DatabaseMissing, open_up
from voxpilot.storage.database.sqlite import Batch, Database
from voxpilot.storage.database.trouble import StorageDamaged
from voxpilot.storage.directory.backup import BadBackup, set_aside, unpack


@pytest.fixture
def used(tmp_path: Path) -> Path:
    return asyncio.run(left_by_a_killed_server(tmp_path))


def empty(database: Path) -> None:
    database.write_bytes(b"")


def lose_all(database: Path) -> None:
    for path in database.parent.glob("voxpilot.db*"):
        path.unlink()


def garble(database: Path) -> None:
    database.write_bytes(b"not a database at all" * 1000)


def zero_first_page(database: Path) -> None:
    with database.open("r+b") as file:
        file.write(bytes(4096))


def cut_short(database: Path) -> None:
    wal(database).unlink()
    with database.open("r+b") as file:
        file.truncate(2 * 4096)


def be_another(database: Path) -> None:
    lose_all(database)
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE shopping (thing TEXT)")


HARM: list[tuple[Callable[[Path], None], type[VoxPilotError], str]] = [
    (empty, DatabaseMissing, "is empty, but this data directory has been used before"),
    (lambda database: database.unlink(), DatabaseMissing, "is missing"),
    (lose_all, DatabaseMissing, "(voxpilot.mark, keepers)"),
    (lambda database: wal(database).unlink(), ChangesMissing, "The last 5 changes are missing"),
    (garble, StorageDamaged, "is damaged, or is not a database"),
    (zero_first_page, StorageDamaged, ""),
    (cut_short, StorageDamaged, ""),
    (be_another, StorageDamaged, "not a VoxPilot database"),
]


@pytest.mark.parametrize(("harm", "error", "words"), HARM, ids=range(len(HARM)))
def test_a_database_that_is_not_what_it_was_stops_the_start_and_nothing_is_changed(
    used: Path, harm: Callable[[Path], None], error: type[VoxPilotError], words: str
) -> None:
    """B3: an empty or missing one used to be created silently, others caused a traceback."""
    harm(used)
    before = contents(used.parent)
    with pytest.raises(error) as stopped:
        open_up(used)
    assert words in stopped.value.message
    assert "voxpilot rescue" in stopped.value.hint
    assert "Nothing was changed" in stopped.value.hint
    after = contents(used.parent)
    assert {name: after.get(name) for name in before} == before


def test_what_a_killed_server_leaves_opens_with_everything_in_it(used: Path) -> None:
    open_up(used)
    with sqlite3.connect(used) as connection:
        assert connection.execute("SELECT count(*) FROM trusted_folders").fetchone() == (5,)


async def test_a_directory_copied_file_by_file_from_a_running_server_opens(tmp_path: Path) -> None:
    """The mark is copied last and counts changes that the copied log does not contain yet."""
    alive, copied = tmp_path / "alive", tmp_path / "copied"
    alive.mkdir()
    copied.mkdir()
    open_up(alive / "voxpilot.db")
    async with Database(alive / "voxpilot.db") as db:
        await db.commit(Batch(statements=[(TRUST, ("/early",))]))
        for name in ("voxpilot.db", "voxpilot.db-wal"):
            shutil.copy(alive / name, copied / name)
        await db.commit(Batch(statements=[(TRUST, ("/late",))]))
        shutil.copy(alive / "voxpilot.mark", copied / "voxpilot.mark")
    open_up(copied / "voxpilot.db")


def test_a_log_that_lost_changes_of_long_ago_is_noticed(used: Path) -> None:
    mark = used.with_suffix(".mark")
    id, commits, _ = mark.read_text().split()
    mark.write_text(f"{id} {int(commits) + 3} {int(commits) + 2}\n")
    with pytest.raises(ChangesMissing):
        open_up(used)


def test_a_first_start_makes_a_new_database(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a script may have made one\n")
    open_up(tmp_path / "voxpilot.db")
    open_up(tmp_path / "voxpilot.db")


def test_a_log_that_another_program_has_taken_in_is_not_missed(used: Path) -> None:
    """An SQLite tool that looks after a crash writes the log into the file and deletes it."""
    connection = sqlite3.connect(used)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    assert not wal(used).exists()
    open_up(used)


def test_a_database_without_a_mark_opens(tmp_path: Path) -> None:
    """As earlier versions leave it."""
    migrate(tmp_path / "voxpilot.db")
    (tmp_path / "keepers").mkdir()
    open_up(tmp_path / "voxpilot.db")


@pytest.mark.skipif(not can_mount(), reason="needs to mount a small file system, which only root may")
def test_a_disk_that_is_full_at_the_first_start_is_said_to_be_and_later_it_starts(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", 1 << 20) as disk:
        disk.fill(leave_bytes=8192)
        with pytest.raises(CannotStart, match="the disk is full"):
            open_up(disk.path / "voxpilot.db")
        disk.free()
        open_up(disk.path / "voxpilot.db")


def test_a_database_cut_off_near_its_beginning_is_not_taken_for_a_first_start(used: Path) -> None:
    """SQLite treats a file smaller than a page as empty."""
    wal(used).unlink()
    used.write_bytes(b"\0")
    with pytest.raises(DatabaseMissing):
        open_up(used)
    assert used.stat().st_size == 1


def test_a_database_without_any_table_is_not_taken_for_a_first_start(used: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        used.with_name(used.name + ending).unlink(missing_ok=True)
    with sqlite3.connect(used) as connection:
        connection.execute("CREATE TABLE a (x)")
        connection.execute("DROP TABLE a")
    with pytest.raises(DatabaseMissing):
        open_up(used)


def test_what_an_interrupted_restore_leaves_is_not_taken_for_a_first_start(used: Path) -> None:
    aside = set_aside(used.parent, "before-restore")
    assert (aside / used.name).exists()
    with pytest.raises(DatabaseMissing, match="set-aside"):
        open_up(used)


def test_a_folder_in_place_of_the_database_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "voxpilot.db").mkdir()
    with pytest.raises(StorageDamaged, match="is not a file"):
        open_up(tmp_path / "voxpilot.db")


def test_a_backup_that_lacks_tables_is_refused(used: Path, tmp_path: Path) -> None:
    open_up(used)
    with sqlite3.connect(used) as connection:
        connection.execute("DROP TABLE questions")
    (tmp_path / "room").mkdir()
    with pytest.raises(BadBackup, match="not a VoxPilot backup"):
        unpack(used, tmp_path / "room")
