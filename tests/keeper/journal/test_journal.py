"""Reading the journal: from any offset, at any moment, with any damage at its end."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from tests.keeper.conftest import Keep
from tests.keeper.kept import read_all
from voxpilot.keeper.journal import ENDED, PRINTED, SENT, JournalReader, Record
from voxpilot.keeper.program.segments import Journal

FIRST = "journal.00000000000000000000"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to write a journal in, as the keeper does: from within."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def parts(records: list[Record]) -> list[tuple[bytes, bytes]]:
    return [(record.type, record.payload) for record in records]


def test_records_come_back_with_their_places(home: Path) -> None:
    journal = Journal(segment_bytes=1000, keep_bytes=0)
    journal.append(b"<", b"one\n")
    journal.append(b">", b"1 two\n")
    journal.append(b"x", b"{}")
    records = read_all(home)
    assert parts(records) == [(PRINTED, b"one\n"), (SENT, b"1 two\n"), (ENDED, b"{}")]
    assert [record.end for record in records] == [17, 36, 51] == [17, 36, journal.end]
    assert parts(read_all(home, 17)) == [(SENT, b"1 two\n"), (ENDED, b"{}")]
    assert read_all(home, 51) == []
    assert records[0].at <= records[1].at


def test_a_reader_goes_on_where_it_was_as_the_journal_grows(home: Path) -> None:
    journal = Journal(segment_bytes=30, keep_bytes=0)
    with JournalReader(home, 0) as reader:
        for n in range(50):
            assert reader.read() == []
            journal.append(b"<", b"%d\n" % n)
            assert [record.payload for record in reader.read()] == [b"%d\n" % n]
            assert reader.offset == journal.end
    assert len(list(home.glob("journal.*"))) > 10


def test_a_read_stays_near_its_limit_but_always_brings_something(home: Path) -> None:
    journal = Journal(segment_bytes=10**9, keep_bytes=0)
    for size in (10, 10, 10, 5000, 10):
        journal.append(b"<", b"x" * size)
    with JournalReader(home, 0) as reader:
        sizes = []
        while records := reader.read(limit_bytes=60):
            sizes.append([len(record.payload) for record in records])
    assert sizes == [[10, 10], [10], [5000], [10]]


def test_nothing_there_yet_is_nothing_to_read(tmp_path: Path) -> None:
    assert read_all(tmp_path) == []
    assert read_all(tmp_path / "missing") == []
    (tmp_path / FIRST).write_bytes(b"VOXJ")
    assert read_all(tmp_path) == []
    (tmp_path / "journal.backup").write_bytes(b"")
    assert read_all(tmp_path) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=some.lists(some.integers(0, 300), max_size=12),
    segment=some.integers(1, 600),
    cut=some.integers(0, 400),
    zeros=some.integers(0, 50),
    limit=some.integers(1, 500),
)
def test_whatever_is_torn_off_the_whole_records_before_it_are_read(
    home: Path, sizes: list[int], segment: int, cut: int, zeros: int, limit: int
) -> None:
    for path in home.glob("journal.*"):
        path.unlink()
    journal = Journal(segment, keep_bytes=0)
    for n, size in enumerate(sizes):
        journal.append(b"<", bytes([n]) * size)
    last = max(home.glob("journal.*"))
    kept_bytes = max(8, last.stat().st_size - cut)
    os.truncate(last, kept_bytes)
    with last.open("ab") as file:
        file.write(b"\0" * zeros)
    with JournalReader(home, 0) as reader:
        records: list[Record] = []
        while found := reader.read(limit):
            records += found
        assert reader.offset == (records[-1].end if records else 0)
    place = int(last.name.removeprefix("journal."))
    ends, end = [], 0
    for size in sizes:
        end += 13 + size
        ends.append(end)
    assert len(records) >= len([end for end in ends if end <= place + kept_bytes - 8])
    for n, record in enumerate(records[: len(records) - bool(zeros)]):
        assert record.payload == bytes([n]) * sizes[n]
        assert record.end == ends[n]


def test_a_record_of_a_newer_kind_is_passed_on(home: Path) -> None:
    journal = Journal(segment_bytes=1000, keep_bytes=0)
    journal.append(b"?", b"what is this")
    journal.append(b"<", b"one\n")
    assert parts(read_all(home)) == [(b"?", b"what is this"), (PRINTED, b"one\n")]


def test_acknowledged_segments_go_once_there_are_enough_of_them(home: Path) -> None:
    journal = Journal(segment_bytes=100, keep_bytes=250)
    for n in range(10):
        journal.append(b"<", bytes([n]) * 87)  # one segment each
    assert len(list(home.glob("journal.*"))) == 10
    journal.acknowledge(250)
    assert len(list(home.glob("journal.*"))) == 10
    journal.acknowledge(300)
    assert sorted(path.name[-4:] for path in home.glob("journal.*"))[0] == "0100"
    journal.acknowledge(10**9)
    assert sorted(path.name[-4:] for path in home.glob("journal.*")) == ["0800", "0900"]


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS, errno.EACCES])
def test_a_segment_that_cannot_be_deleted_is_deleted_later(
    home: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    journal = Journal(segment_bytes=1, keep_bytes=0)
    for _ in range(3):
        journal.append(b"<", b"x")
    with monkeypatch.context() as broken:
        broken.setattr(os, "unlink", failing(number))
        journal.acknowledge(journal.end)
    assert len(list(home.glob("journal.*"))) == 3
    journal.acknowledge(journal.end)
    assert len(list(home.glob("journal.*"))) == 1


@pytest.mark.parametrize("trouble", [("write", "unlink"), ("write", "close"), ("close",)], ids=str)
def test_a_segment_that_could_not_be_begun_is_begun_later(
    home: Path, monkeypatch: pytest.MonkeyPatch, trouble: tuple[str, ...]
) -> None:
    """Whatever is left of the attempt is replaced, and nothing is lost or repeated."""
    journal = Journal(segment_bytes=1, keep_bytes=0)
    journal.append(b"<", b"one\n")
    close = os.close

    def close_badly(file: int) -> None:
        close(file)
        raise OSError(errno.EIO, "I/O error")

    fail = {"write": lambda *_: 3, "unlink": failing(errno.EIO), "close": close_badly}
    with monkeypatch.context() as broken:
        for name in trouble:
            broken.setattr(os, name, fail[name])
        journal.append(b"<", b"two\n")
        assert journal.full == ("write" in trouble)
    journal.flush()
    journal.append(b"<", b"three\n")
    assert not journal.full
    assert parts(read_all(home)) == [(PRINTED, b"%b\n" % word) for word in (b"one", b"two", b"three")]


def failing(number: int) -> Callable[..., object]:
    def fail(*_: object) -> object:
        raise OSError(number, os.strerror(number))

    return fail


def test_from_an_offset_that_was_deleted_reading_goes_on_at_the_oldest(home: Path) -> None:
    journal = Journal(segment_bytes=100, keep_bytes=0)
    for n in range(4):
        journal.append(b"<", bytes([n]) * 87)
    reader = JournalReader(home, 0)
    journal.acknowledge(200)
    assert [record.end for record in reader.read(10**6)] == [300]
    reader.close()
    assert [record.payload[0] for record in read_all(home, 300)] == [3]


def test_a_segment_deleted_while_it_is_read_is_read_to_its_end(home: Path) -> None:
    journal = Journal(segment_bytes=200, keep_bytes=0)
    for n in range(4):
        journal.append(b"<", bytes([n]) * 87)
    with JournalReader(home, 0) as reader:
        assert [record.payload[0] for record in reader.read(100)] == [0]
        journal.acknowledge(200)
        assert not (home / FIRST).exists()
        assert [record.payload[0] for record in reader.read(100)] == [1]
        assert [record.payload[0] for record in reader.read(100)] == [2]


async def test_a_keeper_drops_old_segments_when_told_how_far_we_are(keep: Keep) -> None:
    kept = await keep(["cat"], segment_bytes=10_000, keep_bytes=20_000)
    kept.send(*["x" * 1000] * 100)
    await kept.read_until(lambda: len(kept.lines) == 100)
    many = len(list(kept.directory.glob("journal.*")))
    kept.attachment.ack(kept.reader.offset)
    await kept.attachment.stderr_tail()
    left = sorted(kept.directory.glob("journal.*"))
    assert len(left) < many
    assert kept.reader.offset - int(left[0].name.removeprefix("journal.")) <= 20_000 or len(left) == 1
    kept.send("one more")
    await kept.line("one more")
    again = read_all(kept.directory, kept.reader.offset - 22)
    assert again[-1].payload == b"one more\n"
