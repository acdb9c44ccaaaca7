"""Starting many agents at once, in folders that are gone, and agents that changed meanwhile.

What needs processes: tests/faults/sessions/test_waiting.py.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.fakes.script import say, script
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.driver import ask, lose_agent, talking
from tests.kit.clients.sse import Viewer
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

HELLO = script(say("hello"))


async def test_those_who_wait_wait_on_after_a_restart_and_can_be_stopped(
    start_server: StartServer, place: Path
) -> None:
    """F10: the first one hangs; of those waiting, one is stopped and the other survives the server."""
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


async def test_a_missing_folder_is_told_and_another_can_be_chosen(server: Server, place: Path) -> None:
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
        with pytest.raises(ApiError, match="does not exist"):
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


async def test_a_folder_replaced_with_a_link_is_told_and_never_followed(server: Server, place: Path) -> None:
    """Another chat's agent can do that in the folder above. A person chose the real folder."""
    folder, other = place / "first", place / "second"
    folder.mkdir()
    other.mkdir()
    (place / "link").symlink_to(folder)
    for named in (folder, place / "link"):
        async with talking(server, named) as talk:
            assert (await talk.api.chat(talk.id))["workspace"] == str(folder)
            assert (await talk.run(HELLO))["stop_reason"] == "end_turn"
            folder.rename(place / "before")
            folder.symlink_to(other)
            error = (await talk.run(HELLO))["error"]
            assert error["code"] == "folder-missing"
            assert f"{folder} has been replaced with a symbolic link to {other}" in error["message"]
            moved = await talk.api.change_chat(talk.id, workspace=str(folder))
            assert moved["workspace"] == str(other), "a person chooses it"
            assert (await talk.run(HELLO))["stop_reason"] == "end_turn"
            folder.unlink()
            (place / "before").rename(folder)


@pytest.mark.parametrize("is_awake", [True, False])
async def test_an_agent_of_a_chat_that_has_moved_works_in_the_new_folder(
    server: Server, place: Path, agent_log: AgentLog, is_awake: bool
) -> None:
    """F11: no session of the old folder is restored, whether or not its agent was running; it is reported."""
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


async def test_a_chat_does_not_move_while_a_turn_runs(server: Server, place: Path) -> None:
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
