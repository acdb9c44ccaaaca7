"""A damaged write-ahead log is noticed before SQLite ignores what follows the damage and deletes it."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.kit.waiting import until
from tests.storage.directory.killed import CHANGES, TRUST, contents, left_by_a_killed_server, wal
from voxpilot.errors import VoxPilotError
from voxpilot.storage.database import history_mark, sqlite
from voxpilot.storage.database.history_mark import read_mark
from voxpilot.storage.database.opening import check, open_up
from voxpilot.storage.database.sqlite import Batch, Database
from voxpilot.storage.database.trouble import StorageDamaged
from voxpilot.storage.directory.backup import BadBackup, unpack, write_backup
from voxpilot.storage.directory.rescue.rebuild import rescue

PAGE, HEADER, FRAME = 4096, 32, 24


@pytest.fixture
def used(tmp_path: Path) -> Path:
    return asyncio.run(left_by_a_killed_server(tmp_path))


def place(frame: int) -> int:
    return HEADER + frame * (FRAME + PAGE)


def frames(database: Path) -> int:
    return (wal(database).stat().st_size - HEADER) // (FRAME + PAGE)


def overwrite(database: Path, at: int, data: bytes) -> None:
    with wal(database).open("r+b") as file:
        file.seek(at)
        file.write(data)


def flip(database: Path, at: int) -> None:
    overwrite(database, at, bytes([wal(database).read_bytes()[at] ^ 0xFF]))


def count_one_less(database: Path) -> None:
    """As after a power cut: the last transaction had not been counted yet."""
    mark = database.with_suffix(".mark")
    id, commits, settled = mark.read_text().split()
    mark.write_text(f"{id} {int(commits) - 1:020d} {settled}\n")


def changes(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute("SELECT count(*) FROM trusted_folders").fetchone()[0])


def logs_kept(database: Path) -> list[bytes]:
    return [path.read_bytes() for path in (database.parent / "backups").glob("*.db-wal")]


PARTS = {"page number": 3, "size": 6, "salt": 9, "checksum": 17, "page": FRAME + 100}


@pytest.mark.parametrize("part", PARTS)
def test_no_damage_to_a_frame_loses_a_change_silently(used: Path, tmp_path: Path, part: str) -> None:
    """It used to start without the changes behind the damage if they were of the last seconds."""
    for number in range(frames(used)):
        harmed = tmp_path / f"{part}-{number}" / used.name
        shutil.copytree(used.parent, harmed.parent)
        flip(harmed, place(number) + PARTS[part])
        before, log = contents(harmed.parent), wal(harmed).read_bytes()
        refused = why_not(harmed)
        if refused is None:  # the last frame no longer looks like the end of a transaction
            assert logs_kept(harmed) == [log], f"frame {number} of {frames(used)}"
        else:
            assert "voxpilot rescue" in refused.hint
            assert contents(harmed.parent) == before


def why_not(database: Path) -> VoxPilotError | None:
    try:
        open_up(database)
    except VoxPilotError as error:
        return error
    return None


@pytest.mark.parametrize("at", [0, 9, 17, 25], ids=["magic", "page size", "salt", "checksum"])
def test_a_damaged_header_of_the_log_stops_the_start(used: Path, at: int) -> None:
    flip(used, at)
    before = contents(used.parent)
    with pytest.raises(StorageDamaged, match="-wal is damaged"):
        open_up(used)
    assert contents(used.parent) == before


def test_saved_changes_after_a_damaged_frame_stop_the_start_without_a_mark(used: Path) -> None:
    used.with_suffix(".mark").unlink()
    flip(used, place(0) + FRAME + 100)
    with pytest.raises(StorageDamaged, match="-wal is damaged"):
        open_up(used)


@pytest.mark.parametrize("harm", ["page", "hole", "cut"])
def test_a_transaction_that_a_power_cut_interrupted_does_not_stop_the_start(used: Path, harm: str) -> None:
    """A disk may write its frames in any order; what looks complete is kept aside."""
    count_one_less(used)
    last = frames(used) - 1
    match harm:
        case "page":
            flip(used, place(last) + FRAME + 100)
        case "hole":
            overwrite(used, place(last - 1), bytes(FRAME + PAGE))
        case "cut":
            with wal(used).open("r+b") as file:
                file.truncate(place(last) + 1000)
    log = wal(used).read_bytes()
    open_up(used)
    assert changes(used) == CHANGES - 1
    assert logs_kept(used) == ([] if harm == "cut" else [log])


def test_frames_that_a_log_begun_again_has_not_overwritten_yet_are_no_damage(used: Path) -> None:
    with closing(sqlite.connect(used)) as one, closing(sqlite.connect(used)) as other:
        one.execute("PRAGMA wal_checkpoint(RESTART)")
        other.execute(TRUST, ("/after",))
        assert frames(used) > 2
        killed = shutil.copytree(used.parent, used.parent.with_name("killed")) / used.name
    assert check(killed)
    open_up(killed)
    assert changes(killed) == CHANGES + 1


def test_a_backup_leaves_the_log_of_a_killed_server_alone(used: Path, tmp_path: Path) -> None:
    """It used to be the last to close the database, which deletes the log."""
    before = contents(used.parent)
    write_backup(used.parent, None, tmp_path / "saved.tar")
    assert contents(used.parent) == before
    (tmp_path / "room").mkdir()
    unpack(tmp_path / "saved.tar", tmp_path / "room")
    assert changes(tmp_path / "room" / "voxpilot.db") == CHANGES


def test_a_backup_refuses_a_damaged_log_and_rescue_still_reads_it(used: Path, tmp_path: Path) -> None:
    """It used to save less than there is, and then to delete the log."""
    flip(used, place(2) + FRAME + 100)
    before = contents(used.parent)
    with pytest.raises(StorageDamaged, match="-wal is damaged") as refused:
        write_backup(used.parent, None, tmp_path / "saved.tar")
    assert "voxpilot rescue" in refused.value.hint
    assert not (tmp_path / "saved.tar").exists()
    assert contents(used.parent) == before
    (tmp_path / "new").mkdir()
    rescue(used.parent, tmp_path / "new", lambda *_: "")
    assert changes(tmp_path / "new" / "voxpilot.db") == CHANGES


def test_a_plain_database_with_a_damaged_log_is_not_restored(used: Path, tmp_path: Path) -> None:
    flip(used, place(2) + FRAME + 100)
    before = contents(used.parent)
    (tmp_path / "room").mkdir()
    with pytest.raises(BadBackup, match="log of this database is damaged"):
        unpack(used, tmp_path / "room")
    assert contents(used.parent) == before


async def test_after_a_quiet_moment_every_change_is_expected_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that was cut short used to be accepted if its changes were of the last seconds of activity."""
    for module in (history_mark, sqlite):
        monkeypatch.setattr(module, "SETTLED_SECONDS", 0.02)
    database = tmp_path / "voxpilot.db"
    open_up(database)
    async with Database(database) as db:
        await db.commit(Batch(statements=[(TRUST, ("/a",))]))

        def is_settled() -> bool:
            marked = read_mark(database)
            return marked is not None and marked.settled == marked.commits > 0

        await until(is_settled, 10, "the mark never settles")
