"""B4: a program that is not an agent and prints without end holds up nobody."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from anyio import fail_after

from tests.conftest import StartServer
from tests.kit.clients.client import Api
from tests.kit.waiting import until

pytestmark = pytest.mark.timeout(120)
FLOOD = {"command": "yes", "args": ["Error: not a terminal"]}
ANSWERS_SECONDS = 10.0
"""Any answer at all: before, there was none."""


async def test_testing_a_program_that_prints_without_end_ends_in_time(start_server: StartServer) -> None:
    """F12: the server answers meanwhile, and the test reports the time-out."""
    server = await start_server(agents={"flood": FLOOD}, settings={"start_timeout": 2})
    async with Api(server.url, server.token) as api, anyio.create_task_group() as tasks:
        told = list[str]()

        async def test() -> None:
            told.append((await api.request("POST", "/api/agents/flood/check")).text)

        tasks.start_soon(test)
        for _ in range(10):
            with fail_after(ANSWERS_SECONDS):
                await api.call("GET", "/api/chats")
            await anyio.sleep(0.2)
        await until(lambda: bool(told), 60, "the test did not end")
    assert "It did not respond within 2 s." in told[0]


async def test_a_chat_with_such_a_program_gives_up_in_time(
    start_server: StartServer, workspace: Path
) -> None:
    """F12: as with any agent that does not answer."""
    server = await start_server(agents={"flood": FLOOD}, settings={"start_timeout": 2})
    async with Api(server.url, server.token) as api:
        chat = str((await api.create_chat(workspace, "flood"))["id"])
        await api.prompt(chat, "hello")
        for _ in range(900):
            with fail_after(ANSWERS_SECONDS):
                status = (await api.chat(chat))["status"]
            if status != "working":
                break
            await anyio.sleep(0.1)
        assert status == "failed"
