"""Starting many agents at once, in folders that are gone, and agents that changed meanwhile.

What needs no processes: tests/runtime/sessions/test_waiting.py.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.client import Api
from tests.kit.clients.sse import Viewer
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

HELLO = script(say("hello"))
MANY = 20


def most_at_once(log: AgentLog) -> int:
    """The largest number of agents that were starting at the same time."""
    moments: list[tuple[float, int]] = []
    for line in log.lines():
        frame = line.get("frame")
        if "started" in line:
            moments.append((line["at"], +1))
        elif line.get("dir") == "out" and "protocolVersion" in ((frame or {}).get("result") or {}):
            moments.append((line["at"], -1))
    most = now = 0
    for _, change in sorted(moments):
        now += change
        most = max(most, now)
    return most


async def test_many_agents_started_at_once_wait_in_line_and_all_begin(
    start_server: StartServer, place: Path
) -> None:
    """F10: each shows its position; the time in the queue does not count as a slow start."""
    agent = scripted("slow-init=0.3", log=place / "agent.jsonl")
    server = await start_server(
        agents={"slow": agent},
        settings={"concurrent_starts": 2},
        env={"VOXPILOT_START_TIMEOUT": "15", "VOXPILOT_START_NOTICE": "14"},
    )
    async with Api(server.url, server.token) as api:
        chats = [await new_chat(api, place, number) for number in range(MANY)]
        await asyncio.gather(*(api.prompt(chat, HELLO) for chat in chats))

        async def all_done() -> bool:
            return all(chat["status"] == "ready" for chat in (await api.chats())["chats"])

        await until(all_done, 100)
        log = AgentLog(place / "agent.jsonl")
        assert len(log.starts()) == MANY
        assert most_at_once(log) <= 2
        told = [await statuses(server, chat) for chat in chats]
    places = [text for texts in told for text in texts if text and text.startswith("Waiting")]
    assert "Waiting to start: 1st in the queue." in places
    assert "Waiting to start: 3rd in the queue." in places
    assert not [text for texts in told for text in texts if text == "Still starting."]
    longest = max(told, key=len)
    assert longest == sorted(longest, key=lambda text: -place_in(text)), "positions only move up"


async def new_chat(api: Api, place: Path, number: int, agent: str = "slow") -> str:
    folder = place / f"work-{number}"
    folder.mkdir()
    return str((await api.create_chat(folder, agent))["id"])


async def statuses(server: ServerProcess, chat: str) -> list[str | None]:
    """The messages about the start, in order."""
    async with Viewer(server.url, server.token, chat) as viewer:
        events = await viewer.read_until("ready")
    told = [event.data for event in events if event.kind == "agent-status"]
    return [status.get("message") for status in told if status["status"] == "starting"]


def place_in(text: str | None) -> int:
    return int("".join(filter(str.isdigit, text or "")) or 0)
