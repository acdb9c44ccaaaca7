"""The connection to a keeper while the machine is short of files or threads: it is tried again.

Not tested through HTTP, because then the database cannot be written either.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit, setrlimit
from typing import Any

import pytest

from tests.keeper.kept import spec_for
from tests.kit.waiting import until
from voxpilot.agents.wire.connection import KeeperLink
from voxpilot.keeper.attach import KeeperSpec


@contextmanager
def no_more_files() -> Iterator[None]:
    """Open files stay open."""
    usual = getrlimit(RLIMIT_NOFILE)
    setrlimit(RLIMIT_NOFILE, (0, usual[1]))
    try:
        yield
    finally:
        setrlimit(RLIMIT_NOFILE, usual)


async def test_an_agent_starts_and_is_found_again_once_files_can_be_opened(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def spec() -> KeeperSpec:
        return spec_for(["cat"], place)

    for times in (1, 2):  # first there is no keeper yet, then there is one
        link = KeeperLink(place / "keeper", 0, spec, lambda: None)
        with no_more_files():
            running = asyncio.create_task(link.run())
            await until(lambda times=times: caplog.text.count("Too many open files") >= times, 10)  # type: ignore[misc]
        await link.found()
        assert link.has_agent
        assert link.failed is None
        if times == 1:
            running.cancel()
            await link.close()
    link.stop(force=True)
    await asyncio.wait_for(link.over.wait(), 20)
    await running


async def test_a_connection_that_fails_for_lack_of_threads_is_tried_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise nobody would notice the agent's end, and nobody could stop it."""
    refused = list[bool]()
    real = asyncio.to_thread

    async def spec() -> KeeperSpec:
        return spec_for(["cat"], place)

    async def to_thread(*args: Any) -> Any:
        if len(refused) < 2:
            refused.append(True)
            raise RuntimeError("can't start new thread")
        return await real(*args)

    monkeypatch.setattr(asyncio, "to_thread", to_thread)
    link = KeeperLink(place / "keeper", 0, spec, lambda: None)
    running = asyncio.create_task(link.run())
    await link.found()
    assert link.has_agent
    refused.clear()  # and again while it is being stopped
    link.stop(force=True)
    await asyncio.wait_for(link.over.wait(), 20)
    await running


@pytest.mark.in_memory
async def test_what_cannot_be_ended_is_tried_less_and_less_often(place: Path) -> None:
    """B6: a process that hangs in the system may stay for days, and each try looks at all processes."""
    tries = 0

    async def unkillable() -> bool:
        nonlocal tries
        tries += 1
        return False

    link = KeeperLink(place / "keeper", 0, no_spec, lambda: None)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(600):  # in memory, this takes no time
            await link._surely(unkillable)
    assert 20 <= tries <= 30


async def no_spec() -> KeeperSpec:
    raise AssertionError("nothing is started")
