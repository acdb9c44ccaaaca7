"""The link to a keeper while the server may open no file: nothing is concluded from that.

Not through HTTP, for the database cannot be written then either.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit, setrlimit

import pytest

from tests.keeper.kept import spec_for
from tests.kit.waiting import until
from voxpilot.agents.connection import Link


@contextmanager
def no_more_files() -> Iterator[None]:
    """Those that are open stay so."""
    usual = getrlimit(RLIMIT_NOFILE)
    setrlimit(RLIMIT_NOFILE, (0, usual[1]))
    try:
        yield
    finally:
        setrlimit(RLIMIT_NOFILE, usual)


async def test_an_agent_starts_and_is_found_again_once_files_can_be_opened(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spec = spec_for(["cat"], place)
    for times in (1, 2):  # first there is no keeper yet, then there is one
        link = Link(place / "keeper", 0, lambda: spec, lambda: None)
        with no_more_files():
            running = asyncio.create_task(link.run())
            await until(lambda times=times: caplog.text.count("Too many open files") >= times, 10)  # type: ignore[misc]
        await link.found()
        assert link.attached
        assert link.failed is None
        if times == 1:
            running.cancel()
            await link.close()
    link.stop(force=True)
    await asyncio.wait_for(link.over.wait(), 20)
    await running
