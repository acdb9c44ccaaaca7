"""B5: the memory of all chats together is limited."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from tests.conftest import NoteFigure
from tests.kit.clients.client import Api
from tests.kit.clients.driver import NIGHTLY
from tests.kit.clients.sse import connect
from tests.kit.machine.processes import rss_bytes
from tests.kit.servers.config import MARK, scripted_agents, write_config
from tests.kit.servers.seeding import seed_chat
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from voxpilot.runtime import memory

CHATS = 60 if NIGHTLY else 40
LIMIT_MB = 158


@pytest.mark.alone
async def test_many_large_chats_that_were_opened_once_take_little_memory(
    place: Path, mark: str, workspace: Path, note_figure: NoteFigure
) -> None:
    names = [f"c{number:x}" for number in range(CHATS)]
    size = sum(
        seed_chat(place / "data", name, workspace, events=440, in_a_turn=20, calls=6, output_bytes=37_000)
        for name in names
    )
    config = write_config(place / "config.toml", scripted_agents(place))
    # The real program, not a fork, so that all memory is its own.
    env = {MARK: mark, "PYTHONPATH": ""}
    async with ServerProcess(place / "data", config, env=env) as server:
        async with Api(server.url, server.token) as api:
            await api.chats()
            before = rss_bytes(server.pid)
            for name in names:
                path = f"/api/chats/{name}/stream"
                async with connect(server.url, path, server.token, tail=50) as stream:
                    await stream.read_until("ready")
            most = rss_bytes(server.pid)
            await until(lambda: rss_bytes(server.pid) < LIMIT_MB * 1e6, 20, lambda: told(server.pid))
            after = rss_bytes(server.pid)
            for name in names[:3]:  # sleeping chats are loaded when they are needed
                assert (await api.blocks(name))["blocks"]
    note_figure(
        f"{CHATS} chats of {size / CHATS / 1e6:.0f} MB opened once: {before / 1e6:.0f} MB before, "
        f"{most / 1e6:.0f} MB at the end, {after / 1e6:.0f} MB after"
    )


def told(pid: int) -> str:
    return (
        f"the server takes {rss_bytes(pid) / 1e6:.0f} MB with {len(os.listdir(f'/proc/{pid}/task'))} threads"
    )


@dataclass
class Chat:
    touched_at: float
    bytes: int
    idle: bool = True
    held: int | None = None

    def cached_bytes(self) -> int:
        return self.bytes

    def is_idle(self) -> bool:
        return self.idle

    def hold_less(self, most_bytes: int) -> None:
        self.held = most_bytes


def test_least_recently_used_chats_fall_asleep_until_the_rest_fits() -> None:
    third = memory.CACHE_BYTES // 3
    chats = [Chat(at, third) for at in (3.0, 1.0, 4.0, 2.0, 0.0)]
    busy = Chat(-1.0, third, idle=False)
    assert memory.unused([*chats, busy], now=100) == [chats[4], chats[1], chats[3]]
    assert memory.unused(chats[:3], now=100) == []


def test_a_chat_that_was_just_used_stays_awake() -> None:
    large = Chat(99.5, 2 * memory.CACHE_BYTES)
    assert memory.unused([large], now=100) == []
    assert memory.unused([large], now=102) == [large]


def test_chats_that_cannot_sleep_share_the_budget() -> None:
    busy = [Chat(1, memory.CACHE_BYTES, idle=False) for _ in range(4)]
    memory.hold_less(busy)
    assert [chat.held for chat in busy] == [memory.CACHE_BYTES // 16] * 4
    small = [Chat(1, 1000, idle=False)]
    memory.hold_less(small)
    assert small[0].held is None


async def test_a_server_gives_memory_back() -> None:
    await anyio.to_thread.run_sync(memory.give_back)  # does nothing where the system cannot
