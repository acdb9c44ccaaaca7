"""Noticing that the data directory was moved, without mistaking a failed look for it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.sqlite import Database
from voxpilot.storage.directory import data_dir


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data_dir.prepare(tmp_path / "data")
    migrate(tmp_path / "data" / "voxpilot.db")
    return tmp_path / "data"


@pytest.fixture
def fail_looks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def begin(number: int) -> None:
        def fail(path: Any, *rest: Any, **more: Any) -> os.stat_result:
            raise OSError(number, os.strerror(number), str(path))

        monkeypatch.setattr(os, "stat", fail)

    return begin


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES, errno.ENOMEM, errno.ESTALE, errno.ETIMEDOUT])
async def test_a_look_that_fails_says_nothing(
    folder: Path, fail_looks: Callable[[int], None], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """B2: the server used to exit because of one disk error."""
    with data_dir.held(folder) as mark:
        async with Database(folder / "voxpilot.db") as db:
            fail_looks(number)
            assert mark.is_at_home()
            assert db.is_in_place()
            monkeypatch.undo()
            (folder / "voxpilot.db").rename(folder / "moved.db")
            assert mark.is_at_home()
            assert not db.is_in_place()
            (folder / "voxpilot.db").touch()
            assert not db.is_in_place(), "it is another file"
            folder.rename(folder.with_name("moved"))
            assert not mark.is_at_home()
            folder.touch()
            assert not db.is_in_place()


async def test_a_lock_file_that_cannot_be_rewritten_is_rewritten_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then the old file stays open: its number would otherwise soon belong to another file."""
    real = os.open

    def fail(path: Any, *rest: Any, **more: Any) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), str(path))

    with data_dir.held(folder) as mark:
        mark.tell(pid=os.getpid(), port=7777)
        (folder / "server.lock").unlink()
        monkeypatch.setattr(os, "open", fail)
        assert mark.is_at_home()
        monkeypatch.setattr(os, "open", real)
        with (folder / "voxpilot.db").open("rb") as other:
            assert mark.is_at_home()
            assert other.read(6) == b"SQLite"
        assert (data_dir.running_server(folder) or {})["port"] == 7777
