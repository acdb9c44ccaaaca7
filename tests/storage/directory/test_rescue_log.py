"""Pages of a damaged write-ahead log: what its checksums confirm is used, and before anything else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from voxpilot.storage.directory.rescue.image import Image, read_image

PAGE, HEADER, FRAME = 4096, 32, 24
COUNT = 6


@pytest.fixture
def log(tmp_path: Path) -> bytearray:
    """A log of several transactions of one frame each, all on page 2."""
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE words (word)")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for number in range(COUNT):
            db.execute("INSERT INTO words VALUES (?)", (f"word-{number}",))
        return bytearray((tmp_path / "a.db-wal").read_bytes())


def place(frame: int) -> int:
    return HEADER + frame * (FRAME + PAGE)


def words(image: Image, confirmed: bool = False) -> list[int]:
    """The frames that were taken, oldest first: each has one word more than the one before."""
    versions = (image.confirmed if confirmed else image.frames).get(2, [])
    return [version.count(b"word-") - 1 for version in reversed(versions)]


def test_an_undamaged_log_is_confirmed(log: bytearray) -> None:
    image = read_image(b"", bytes(log))
    assert words(image) == words(image, confirmed=True) == list(range(COUNT))
    assert not image.is_log_damaged


def test_a_damaged_page_hides_only_itself(log: bytearray) -> None:
    log[place(2) + FRAME + 3000] ^= 1
    image = read_image(b"", bytes(log))
    assert words(image) == words(image, confirmed=True) == [0, 1, 3, 4, 5]
    assert image.is_log_damaged


def test_a_second_damaged_page_after_the_first_is_not_used(log: bytearray) -> None:
    log[place(2) + FRAME + 3000] ^= 1
    log[place(3) + FRAME + 3000] ^= 1
    image = read_image(b"", bytes(log))
    assert words(image, confirmed=True) == [0, 1, 4, 5]


@pytest.mark.parametrize("damaged", [8, 12, 16, 20], ids=["salt", "other salt", "checksum", "other checksum"])
def test_a_page_whose_header_alone_is_damaged_is_confirmed(log: bytearray, damaged: int) -> None:
    for frame in (0, 3):
        log[place(frame) + damaged] ^= 1
    assert words(read_image(b"", bytes(log)), confirmed=True) == list(range(COUNT))


def test_a_page_after_one_that_is_all_garbage_is_used_but_not_confirmed(log: bytearray) -> None:
    log[place(2) : place(3)] = b"\xff" * (FRAME + PAGE)
    image = read_image(b"", bytes(log))
    assert words(image) == [0, 1, 3, 4, 5]
    assert words(image, confirmed=True) == [0, 1, 4, 5]


def test_a_damaged_header_of_the_log_hides_no_page(log: bytearray) -> None:
    log[:HEADER] = bytes(HEADER)
    assert words(read_image(b"", bytes(log))) == list(range(COUNT))


def test_an_impossible_page_number_does_not_make_the_database_enormous(log: bytearray) -> None:
    log[place(2) : place(3)] = b"\xff" * (FRAME + PAGE)
    log[place(3) : place(3) + 4] = b"\xff" * 4
    assert read_image(b"", bytes(log)).count < 100


def test_frames_of_an_earlier_log_are_not_used(log: bytearray) -> None:
    """A log that is begun again overwrites the older frames from the start."""
    older = bytearray(log)
    for frame in range(COUNT):
        older[place(frame) + 8 : place(frame) + 16] = b"ancient!"
    image = read_image(b"", bytes(log[: place(2)] + older[place(2) :]))
    assert words(image) == [0, 1]


def test_pages_of_a_transaction_without_its_commit_are_kept_apart(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE words (word)")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("BEGIN")
        db.executemany("INSERT INTO words VALUES (?)", [("word-" * 300,) for _ in range(20)])
        db.execute("COMMIT")
        log = (tmp_path / "a.db-wal").read_bytes()
    image = read_image(b"", log[: -(FRAME + PAGE)])
    assert image.frames == {}
    assert len(image.torn) > 3
    assert {number for number, _ in image.torn} == set(image.confirmed)
