"""Rescuing from a disk that fails in places, or onto one that is full."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.kit.servers.seeding import seed_chat
from voxpilot.cli import keeping
from voxpilot.errors import VoxPilotError
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.directory.rescue import reading, rebuild

EVENTS = 2_000


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    seed_chat(tmp_path / "data", "aa11", tmp_path / "workspace", EVENTS, 20, 2, 100)
    return tmp_path / "data"


def rescue(data: Path, target: Path) -> list[str]:
    said: list[str] = []
    environment = {
        "HOME": str(data.parent),
        "VOXPILOT_DATA_DIR": str(data),
        "VOXPILOT_CONFIG": str(data.parent / "config.toml"),
    }
    keeping.rescue(LiveSettings(environment).now, str(target), False, said.append)
    return said


def test_a_page_that_cannot_be_read_costs_only_itself(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B3: the file used to be read in one piece, so one bad sector lost everything."""
    size = (data / "voxpilot.db").stat().st_size
    bad, pread = size // 2 // 4096 * 4096 + 512, os.pread

    def fail(file: int, length: int, start: int) -> bytes:
        if start <= bad < start + length and os.fstat(file).st_size == size:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return pread(file, length, start)

    whole = (data / "voxpilot.db").read_bytes()
    monkeypatch.setattr(os, "pread", fail)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("read in one piece"))
    read = reading.read_through(data / "voxpilot.db")
    assert read == whole[:bad] + bytes(512) + whole[bad + 512 :]
    rescue(data, tmp_path / "new")
    with closing(sqlite3.connect(tmp_path / "new" / "voxpilot.db")) as db:
        assert db.execute("SELECT count(*) FROM events").fetchone()[0] > EVENTS * 0.8


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (sqlite3.OperationalError("database or disk is full"), "full"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "full"),
    ],
    ids=repr,
)
def test_a_disk_that_is_full_is_explained_and_nothing_is_left_on_it(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    if isinstance(error, sqlite3.Error):
        error.sqlite_errorcode = sqlite3.SQLITE_FULL

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(rebuild, "_give_homes", fail)
    with pytest.raises(VoxPilotError, match=words):
        rescue(data, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert (data / "voxpilot.db").exists()
