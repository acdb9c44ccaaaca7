"""After a restart every chat is recovered by itself: trouble with one of them holds up nobody else."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script, wait_file
from tests.kit.clients.client import Api
from tests.kit.clients.driver import ask
from tests.kit.memory.database import MemoryDatabase
from tests.kit.memory.server import MemoryServer
from tests.kit.waiting import until
from voxpilot.errors import VoxPilotError
from voxpilot.runtime import supervisor
from voxpilot.storage.chats import chat_list, deleting
from voxpilot.storage.chats import ledger as ledgers
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.sqlite import Batch
from voxpilot.storage.database.trouble import DiskFailed, StorageDamaged

pytestmark = [pytest.mark.anyio, pytest.mark.in_memory]


class BadSectors:
    """Chats that cannot be read, and why."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.under: dict[str, VoxPilotError] = {}
        self._real = ledgers.load
        monkeypatch.setattr(ledgers, "load", self._load)

    def _load(self, connection: sqlite3.Connection, chat_id: str) -> Ledger:
        if (error := self.under.get(chat_id)) is not None:
            raise error
        return self._real(connection, chat_id)


@pytest.fixture
def sectors(monkeypatch: pytest.MonkeyPatch) -> BadSectors:
    return BadSectors(monkeypatch)


async def begin(server: MemoryServer, workspace: Path, count: int = 2) -> list[str]:
    """Chats with agents that work on while the server is away; in the order in which they are recovered."""
    async with Api(server.url, server.token) as api:
        for _ in range(count):
            chat = str((await api.create_chat(workspace, "scripted"))["id"])
            await api.prompt(chat, script(say("begun "), wait_file(workspace / "go"), say("done ")))
    await until(lambda: len(told(server)) == count, 30)
    assert server.supervisor is not None
    chats = await chat_list.chats_to_wake(server.supervisor.services.db)
    await server.terminate()
    return chats


def told(server: MemoryServer) -> list[tuple[object, ...]]:
    return ask(server.database, "SELECT 1 FROM events WHERE kind = 'text-delta'")


def state_of(server: MemoryServer, chat: str) -> str:
    [(state,)] = ask(server.database, f"SELECT state FROM turns WHERE chat_id = '{chat}'")
    return str(state)


async def test_a_chat_that_cannot_be_read_holds_up_no_other(
    server: MemoryServer, workspace: Path, sectors: BadSectors
) -> None:
    """A disk error may pass, so the chat is tried again; the others are recovered meanwhile."""
    bad, good = await begin(server, workspace)
    sectors.under[bad] = DiskFailed()
    await server.start()
    (workspace / "go").touch()
    await until(lambda: state_of(server, good) == "done", 30)
    assert state_of(server, bad) == "running"
    sectors.under.clear()
    await until(lambda: state_of(server, bad) == "done", 120)


async def test_a_chat_whose_steps_fail_holds_up_no_other(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = await begin(server, workspace)
    real = Ledger.take

    def take(self: Ledger, now: float) -> ledgers.Step:
        if self.chat.id == bad:
            raise DiskFailed
        return real(self, now)

    with monkeypatch.context() as failing:
        failing.setattr(Ledger, "take", take)
        await server.start()
        (workspace / "go").touch()
        await until(lambda: state_of(server, good) == "done", 30)
    await until(lambda: state_of(server, bad) == "done", 30)


async def test_the_server_stops_and_ends_its_agents_although_a_chat_cannot_be_read(
    server: MemoryServer, workspace: Path, sectors: BadSectors
) -> None:
    bad, good = await begin(server, workspace)
    sectors.under[bad] = DiskFailed()
    await server.start()
    await until(lambda: "recovered" in notices(server, good), 30)
    async with asyncio.timeout(60):
        await server.interrupt()
    assert state_of(server, good) == "cancelled"
    sectors.under.clear()
    await server.start()


def notices(server: MemoryServer, chat: str) -> str:
    found = ask(server.database, f"SELECT body FROM events WHERE kind = 'notice' AND chat_id = '{chat}'")
    return str(found)


async def test_a_notice_says_once_that_the_agent_kept_working(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R49: also if it could not be stored at first."""
    (chat,) = await begin(server, workspace, 1)
    monkeypatch.setattr(MemoryDatabase, "commit", failing_on_notices(MemoryDatabase.commit, 3))
    await server.start()
    await until(lambda: "recovered" in notices(server, chat), 30)
    (workspace / "go").touch()
    await until(lambda: state_of(server, chat) == "done", 30)
    assert notices(server, chat).count("recovered") == 1


@pytest.mark.parametrize("kill", [MemoryServer.kill_keeper, MemoryServer.signal_agent])
async def test_no_notice_says_that_an_agent_kept_working_that_is_gone(
    server: MemoryServer, workspace: Path, kill: Callable[[MemoryServer, int], None]
) -> None:
    (chat,) = await begin(server, workspace, 1)
    [agent] = server.running_agents()
    kill(server, agent)
    await until(lambda: not server.running_agents(), 30)
    await server.start()
    await until(lambda: state_of(server, chat) == "interrupted", 30)
    assert "recovered" not in notices(server, chat)


def failing_on_notices(commit: Callable[..., Awaitable[None]], times: int) -> Callable[..., Awaitable[None]]:
    left = iter(range(times))

    async def fail(self: MemoryDatabase, batch: Batch) -> None:
        if "recovered" in str(batch.many) and next(left, None) is not None:
            raise DiskFailed
        await commit(self, batch)

    return fail


@pytest.mark.parametrize("name", ["live_processes", "chats_to_wake"])
async def test_a_disk_that_fails_for_a_moment_does_not_end_the_recovery(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    chats = await begin(server, workspace)
    monkeypatch.setattr(chat_list, name, once_failing(getattr(chat_list, name)))
    await server.start()
    (workspace / "go").touch()
    await until(lambda: {state_of(server, chat) for chat in chats} == {"done"}, 60)


async def test_an_interrupted_deletion_is_finished_although_the_disk_fails_for_a_moment(
    server: MemoryServer, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Api(server.url, server.token) as api:
        chat = str((await api.create_chat(workspace, "scripted"))["id"])
    assert server.supervisor is not None
    live = await server.supervisor.chat(chat)
    begun = deleting.deletion_begun(chat, server.clock.now())
    await live.do(lambda ledger, now: {"key": ledger.save(begun).key})
    await server.terminate()
    monkeypatch.setattr(supervisor, "mark_deleted", once_failing(deleting.mark_deleted))
    await server.start()
    await until(lambda: not ask(server.database, f"SELECT 1 FROM chats WHERE id = '{chat}'"), 60)


def once_failing(real: Callable[..., object]) -> Callable[..., object]:
    failed = list[bool]()

    async def fails_once(*args: object) -> object:
        if not failed:
            failed.append(True)
            raise DiskFailed
        return await real(*args)  # type: ignore[misc]

    return fails_once


async def test_an_agent_of_a_chat_that_cannot_be_read_takes_no_place_in_the_start_queue(
    start_server: StartServer, workspace: Path, sectors: BadSectors
) -> None:
    server = await start_server(settings={"concurrent_starts": 1})
    assert isinstance(server, MemoryServer)
    async with Api(server.url, server.token) as api:
        bad = str((await api.create_chat(workspace, "scripted-hang-init"))["id"])
        other = str((await api.create_chat(workspace, "scripted"))["id"])
        await api.prompt(bad, script(say("never")))
        await until(lambda: ask(server.database, "SELECT state FROM agent_processes") == [("starting",)], 30)
        await server.terminate()
        sectors.under[bad] = StorageDamaged()
        await server.start()
        await api.prompt(other, script(say("hello")))
        await until(lambda: state_of(server, other) == "done", 60)
    sectors.under.clear()
    await server.restart()
