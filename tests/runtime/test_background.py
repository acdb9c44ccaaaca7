"""Tasks end with their owner, and a failed one is noticed."""

from __future__ import annotations

import asyncio
import logging

import pytest

from voxpilot.runtime.shared.background import Background


async def test_leaving_the_block_ends_what_runs() -> None:
    ended = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("work")

    async with Background("a test") as background:
        task = background.start(work())
        await asyncio.sleep(0)
    assert task.cancelled()
    assert ended == ["work"]


async def test_a_failure_is_logged_and_ends_no_other(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError("broken")

    go_on = asyncio.Event()
    async with Background("a test") as background:
        other = background.start(_until(go_on))
        background.start(fail())
        await asyncio.sleep(0)
        go_on.set()
        await background.wait()
    assert not other.cancelled()
    logged = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert [record.getMessage() for record in logged] == ["a task of a test failed"]


async def test_a_failure_that_somebody_waits_for_is_theirs(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError("broken")

    async with Background("a test") as background:
        with pytest.raises(ValueError, match="broken"):
            await background.start(fail(), is_awaited=True)
    assert caplog.records == []


async def _until(event: asyncio.Event) -> None:
    await event.wait()
