"""A disk that does not respond: skipping tests where it is impossible, and watching the server."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from tests.kit.clients.driver import SLACK
from tests.kit.machine.hung import can_hang
from tests.kit.servers.server import ServerProcess, answers_health

AT_ONCE = 1.0 * SLACK


needs_fuse = pytest.mark.skipif(not can_hang(), reason="a folder that hangs needs root and FUSE")


@asynccontextmanager
async def alive(server: ServerProcess, longest: float = AT_ONCE) -> AsyncIterator[None]:
    """Within the block, the server must always respond."""
    slowest = 0.0
    async with anyio.create_task_group() as tasks:

        async def ask() -> None:
            nonlocal slowest
            while True:
                began = time.monotonic()
                assert await answers_health(server.port), "the server does not answer"
                slowest = max(slowest, time.monotonic() - began)
                await anyio.sleep(0.05)

        tasks.start_soon(ask)
        yield
        tasks.cancel_scope.cancel()
    assert slowest < longest, f"an answer took {slowest:.1f} s"
