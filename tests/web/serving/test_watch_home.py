"""The server keeps checking that its data is in its place."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.sqlite import Database
from voxpilot.storage.directory import data_dir
from voxpilot.web import serving


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), MemoryError()], ids=repr)
async def test_a_look_that_fails_is_not_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """It used to end the task, so a directory that was moved later stayed in use."""
    folder = tmp_path / "data"
    data_dir.prepare(folder)
    migrate(folder / "voxpilot.db")
    real, errors = asyncio.to_thread, [error]

    async def to_thread(*work: Any) -> Any:
        if errors:
            raise errors.pop()
        return await real(*work)

    monkeypatch.setattr(asyncio, "to_thread", to_thread)
    monkeypatch.setattr(serving, "HOME_SECONDS", 0)
    left = []
    with data_dir.held(folder) as mark:
        async with Database(folder / "voxpilot.db") as db, asyncio.timeout(10):
            folder.rename(tmp_path / "moved")
            await serving._watch_home(mark, db, lambda: left.append(True))
    assert left
    assert not errors
