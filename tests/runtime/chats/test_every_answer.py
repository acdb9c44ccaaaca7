"""Whatever happens to a chat, everybody who waits for one of its steps gets an answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.kit.clients.client import Api
from tests.kit.memory.database import MemoryDatabase
from tests.kit.memory.server import MemoryServer
from voxpilot.chat.events import Json
from voxpilot.errors import NotFound, ShuttingDown, VoxPilotError
from voxpilot.runtime.live_chat import LiveChat
from voxpilot.runtime.readers.wakeup import Wakeup
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.sqlite import Batch
from voxpilot.storage.database.trouble import StorageBusy

pytestmark = [pytest.mark.anyio, pytest.mark.in_memory]
WITHIN = 60.0


def rename(ledger: Ledger, now: float) -> Json:
    ledger.change(ledger.chat, title="renamed")
    return {"ok": True}


@pytest.fixture
async def chat(server: MemoryServer, workspace: Path) -> AsyncIterator[LiveChat]:
    async with Api(server.url, server.token) as api:
        created = await api.create_chat(workspace, "scripted")
        yield await supervisor_of(server).chat(str(created["id"]))


def supervisor_of(server: MemoryServer) -> Supervisor:
    assert server.supervisor is not None
    return server.supervisor


@pytest.fixture
def storing(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set when a step is being stored, which another program prevents for a while."""
    begun = asyncio.Event()

    async def locked(self: MemoryDatabase, batch: Batch) -> None:
        begun.set()
        await asyncio.sleep(5)
        raise StorageBusy

    monkeypatch.setattr(MemoryDatabase, "commit", locked)
    return begun


async def answer_of(asked: Awaitable[Json]) -> Json | BaseException:
    async with asyncio.timeout(WITHIN):
        [answer] = await asyncio.gather(asked, return_exceptions=True)
    return answer


@pytest.mark.parametrize("way", [LiveChat.do, LiveChat.bring])
async def test_a_chat_that_closes_during_a_step_answers(
    chat: LiveChat, storing: asyncio.Event, way: Callable[..., Awaitable[Json]]
) -> None:
    """A person learns why nothing was stored, and can send it again."""
    asked = asyncio.ensure_future(way(chat, rename))
    await storing.wait()
    await chat.close()
    answer = await answer_of(asked)
    assert isinstance(answer, StorageBusy if way is LiveChat.do else ShuttingDown)


async def test_a_chat_that_is_deleted_during_a_step_answers(chat: LiveChat, storing: asyncio.Event) -> None:
    asked = asyncio.ensure_future(chat.do(rename))
    await storing.wait()
    chat.is_deleted = True
    await chat.close()
    assert isinstance(await answer_of(asked), NotFound)


async def test_a_chat_whose_worker_is_ended_answers(
    server: MemoryServer, chat: LiveChat, storing: asyncio.Event
) -> None:
    asked = asyncio.ensure_future(chat.do(rename))
    await storing.wait()
    supervisor_of(server)._workers[chat.id].cancel()
    assert isinstance(await answer_of(asked), VoxPilotError)
    assert isinstance(await answer_of(chat.do(rename)), ShuttingDown), "and accepts nothing more"
    async with asyncio.timeout(WITHIN):
        await chat.until(lambda _: False)


async def test_a_step_that_is_stored_is_answered_although_publishing_it_fails(
    chat: LiveChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(Wakeup, "announce", fail)
    assert await answer_of(chat.do(rename)) == {"ok": True}


async def test_a_chat_with_a_step_in_progress_does_not_fall_asleep(
    chat: LiveChat, storing: asyncio.Event
) -> None:
    asked = asyncio.ensure_future(chat.do(rename))
    await storing.wait()
    assert not chat.is_idle()
    assert isinstance(await answer_of(asked), StorageBusy)
