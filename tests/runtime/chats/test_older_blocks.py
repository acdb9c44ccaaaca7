"""Only what is stored is shown, wherever it is read from."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.script import say, script, silent, wait_file
from tests.kit.clients.client import Api
from tests.kit.memory.database import MemoryDatabase
from tests.kit.memory.server import MemoryServer
from tests.kit.waiting import until
from voxpilot.storage.database.sqlite import Batch
from voxpilot.storage.database.trouble import StorageBusy

pytestmark = [pytest.mark.anyio, pytest.mark.in_memory]


async def test_text_that_could_not_be_stored_yet_is_not_shown(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storing = asyncio.Event()

    async def locked(self: MemoryDatabase, batch: Batch) -> None:
        storing.set()
        await asyncio.sleep(5)
        raise StorageBusy

    async with Api(server.url, server.token) as api:
        chat = str((await api.create_chat(workspace, "scripted"))["id"])
        await api.prompt(chat, script(say("one "), wait_file(workspace / "go"), say("two "), silent()))

        async def is_shown(text: str) -> bool:
            blocks = (await api.blocks(chat))["blocks"]
            return "".join(block["text"] for block in blocks if block["kind"] == "text") == text

        await until(lambda: is_shown("one "), 30)
        with monkeypatch.context() as failing:
            failing.setattr(MemoryDatabase, "commit", locked)
            (workspace / "go").touch()
            await storing.wait()
            assert await is_shown("one ")
        await until(lambda: is_shown("one two "), 30)
