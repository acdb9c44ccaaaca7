"""Starting many agents at once, in folders that are gone, and agents that changed meanwhile."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.faults.driver import ask, talking
from tests.faults.test_restoring import lose_agent
from tests.kit.agent_log import AgentLog
from tests.kit.client import Api, ApiError
from tests.kit.config import scripted
from tests.kit.server import ServerProcess
from tests.kit.sse import Viewer
from tests.kit.waiting import until

HELLO = script(say("hello"))
MANY = 20


def most_at_once(log: AgentLog) -> int:
    """How many agents were between being asked to begin and having answered, at the worst moment."""
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
    """F10: each shows its place; the time in the line does not count as slowness."""
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
    assert "Waiting to start, 1st in line." in places
    assert "Waiting to start, 3rd in line." in places
    assert not [text for texts in told for text in texts if text == "Still starting."]
    longest = max(told, key=len)
    assert longest == sorted(longest, key=lambda text: -place_in(text)), "everybody only moves up"


async def test_those_who_wait_wait_on_after_a_restart_and_can_be_stopped(
    start_server: StartServer, place: Path
) -> None:
    """F10: the first one hangs; one behind it is stopped, the other outlives the server."""
    server = await start_server(settings={"concurrent_starts": 1})
    async with Api(server.url, server.token) as api:
        first = await new_chat(api, place, 1, "scripted-hang-init")
        await api.prompt(first, HELLO)
        second, third = [await new_chat(api, place, number, "scripted") for number in (2, 3)]
        await api.prompt(second, HELLO)
        await api.prompt(third, HELLO)
        sql = "SELECT chat_id, place FROM agent_processes WHERE state = 'waiting' ORDER BY place"
        await until(lambda: ask(server.database, sql) == [(second, 1), (third, 2)], 30)
        await api.cancel(second)
        await until(lambda: ask(server.database, sql) == [(third, 1)], 30)
        await server.restart()
        await until(lambda: ask(server.database, sql) == [(third, 1)], 30)
        await api.cancel(first)
        async with Viewer(server.url, server.token, third) as viewer:
            ended = (await viewer.read_until("turn-ended", 30))[-1].data
        assert ended["stop_reason"] == "end_turn"
        assert (await api.chat(second))["last_turn"] == "cancelled"


async def new_chat(api: Api, place: Path, number: int, agent: str = "slow") -> str:
    folder = place / f"work-{number}"
    folder.mkdir()
    return str((await api.create_chat(folder, agent))["id"])


async def statuses(server: ServerProcess, chat: str) -> list[str | None]:
    """What was said about the start, in order."""
    async with Viewer(server.url, server.token, chat) as viewer:
        events = await viewer.read_until("ready")
    told = [event.data for event in events if event.kind == "agent-status"]
    return [status.get("message") for status in told if status["status"] == "starting"]


def place_in(text: str | None) -> int:
    return int("".join(filter(str.isdigit, text or "")) or 0)


async def test_a_missing_folder_is_told_and_another_can_be_chosen(server: ServerProcess, place: Path) -> None:
    """F11: before the start and between turns; the history stays readable."""
    folder, other = place / "first", place / "second"
    folder.mkdir()
    other.mkdir()
    async with talking(server, folder) as talk:
        assert (await talk.run(HELLO))["stop_reason"] == "end_turn"
        shutil.rmtree(folder)
        error = (await talk.run(HELLO))["error"]
        assert error["code"] == "folder-missing"
        assert str(folder) in error["message"]
        assert "Choose another folder" in error["hint"]
        with pytest.raises(ApiError, match="There is no folder"):
            await talk.api.change_chat(talk.id, workspace=str(place / "nowhere"))
        moved = await talk.api.change_chat(talk.id, workspace=str(other))
        assert moved["workspace"] == str(other)
        assert (await talk.run(HELLO))["stop_reason"] == "end_turn"
        await talk.judge(text="hellohello")
        assert talk.of_kind("chat-info")[-1]["workspace"] == str(other)
    async with talking(server, other) as talk:
        shutil.rmtree(other)
        assert (await talk.run(HELLO))["error"]["code"] == "folder-missing"
        assert talk.processes() == []
        other.mkdir()
        assert (await talk.run(HELLO))["stop_reason"] == "end_turn"


@pytest.mark.parametrize("is_awake", [True, False])
async def test_an_agent_of_a_chat_that_has_moved_works_in_the_new_folder(
    server: ServerProcess, place: Path, agent_log: AgentLog, is_awake: bool
) -> None:
    """F11: no session of the old folder is brought back, whether its agent still ran or not; it is told."""
    here, there = place / "here", place / "there"
    for folder in (here, there):
        folder.mkdir()
    async with talking(server, here) as talk:
        await talk.run(HELLO)
        if not is_awake:
            await lose_agent(talk, agent_log)
        await talk.api.change_chat(talk.id, workspace=str(there))
        assert (await talk.run(HELLO))["stop_reason"] == "end_turn"
        await server.restart()
        await talk.run(HELLO)
        await talk.judge(text="hello" * 3)
        assert talk.of_kind("question") == []
        told = talk.notices("moved")
    assert [frame["params"]["cwd"] for frame in agent_log.received("session/new")] == [str(here), str(there)]
    back = [frame for method in ("session/resume", "session/load") for frame in agent_log.received(method)]
    assert [frame["params"]["cwd"] for frame in back if frame["params"]["cwd"] != str(there)] == []
    assert [str(there) in notice["text"] for notice in told] == [True]


async def test_a_chat_does_not_move_while_a_turn_runs(server: ServerProcess, place: Path) -> None:
    """F11"""
    for name in ("here", "there"):
        (place / name).mkdir()
    async with talking(server, place / "here") as talk:
        turn = await talk.send(script(say("begun"), "silent"))
        await talk.says("begun")
        with pytest.raises(ApiError) as refused:
            await talk.api.change_chat(talk.id, workspace=str(place / "there"))
        assert refused.value.status == 409
        await talk.cancel()
        await talk.ended(turn)
