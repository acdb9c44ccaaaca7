"""A new chat is loaded once, even if it is opened while it is being created."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.kit.memory.server import MemoryServer
from voxpilot.runtime.commands.create_chat import ChatSpec
from voxpilot.runtime.live_chat import LiveChat

pytestmark = [pytest.mark.anyio, pytest.mark.in_memory]


async def test_a_chat_opened_as_soon_as_the_list_shows_it_is_the_only_one(
    server: MemoryServer, workspace: Path
) -> None:
    supervisor = server.supervisor
    assert supervisor is not None
    bell = asyncio.Event()
    watch = supervisor.feed.watch(bell)

    async def open_it() -> LiveChat:
        await bell.wait()
        (chat_id,) = watch.take()
        return await supervisor.chat(chat_id)

    async with asyncio.TaskGroup() as tasks:
        opening = tasks.create_task(open_it())
        created = await supervisor.create(ChatSpec(workspace=str(workspace), mode="llm", agent=None), None)
        first = await supervisor.chat(created)
    watch.close()
    assert opening.result() is first
    assert await supervisor.chat(created) is first
