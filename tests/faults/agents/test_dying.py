"""Agents, keepers and chats that go away in mid-turn, and what they leave: nothing but the log.

What needs no processes: tests/runtime/agents/test_dying.py.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from functools import partial
from pathlib import Path

import httpx2
import pytest

from tests.conftest import StartServer
from tests.fakes.script import (
    chunks,
    say,
    script,
    silent,
    spawn,
    spoken_by,
    touch,
    wait_file,
)
from tests.fakes.scripted.faults import WAYS_TO_SPAWN
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import SLACK, Talk, ask, keeper_of, said_by, talking
from tests.kit.clients.sse import connect
from tests.kit.machine.processes import is_alive, marked, zombies_of
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

HOLD = script(chunks(40), touch("said"), silent())


async def hold(talk: Talk, workspace: Path) -> str:
    """Start a turn that has sent forty chunks and waits; returns its id."""
    turn = await talk.send(HOLD)
    await until((workspace / "said").exists, 30)
    return turn


async def only_the_server_is_left(server: ServerProcess, mark: str, within: float = 5 * SLACK) -> float:
    """Wait until only the server is left of the test's processes; returns how long that took."""
    took = await until(
        lambda: {found.pid for found in marked(mark)} == {server.pid}, within, lambda: f"{marked(mark)}"
    )
    assert zombies_of(server.pid) == []
    return took


async def test_a_killed_agent_is_told_and_what_it_said_is_kept(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F23, K9: within 2 s, with the signal; the next message starts it again."""
    async with talking(server, workspace) as talk:
        turn = await hold(talk, workspace)
        begun = time.monotonic()
        os.kill(agent_log.starts()[0], signal.SIGKILL)
        ended = await talk.ended(turn)
        assert time.monotonic() - begun <= 2 * SLACK
        assert ended["stop_reason"] == "interrupted"
        assert "crashed (signal 9, SIGKILL)" in ended["error"]["message"]
        assert ended["error"]["hint"]
        assert talk.states() == ["interrupted"]
        assert talk.text() == spoken_by(HOLD)
        await only_the_server_is_left(server, mark)
        await talk.run(script(say("again")))
        assert talk.states() == ["interrupted", "done"]
        assert len(agent_log.starts()) == 2
        assert agent_log.prompts() == [HOLD, script(say("again"))], "a prompt is never sent twice"
        await talk.judge(text=said_by(agent_log))


async def test_a_grandchild_does_not_outlive_its_agent(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F26, K9: the agent crashes, and its children end with it, for each way to start them."""
    for number, way in enumerate(WAYS_TO_SPAWN):
        async with talking(server, workspace) as talk:
            turn = await talk.send(script(spawn(way), touch(way), silent()))
            await until((workspace / way).exists, 30)
            assert is_alive(agent_log.spawned()[number])
            os.kill(agent_log.starts()[number], signal.SIGKILL)
            assert (await talk.ended(turn))["stop_reason"] == "interrupted"
            await only_the_server_is_left(server, mark)
            await talk.judge(text=f"<spawned:{way}>")


async def test_a_keeper_alone_ends_all_that_its_agent_had_started(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F26, K9: no server is running, and the next one says what happened."""
    prompt = script(*map(spawn, WAYS_TO_SPAWN), touch("said"), silent())
    async with talking(server, workspace) as talk:
        turn = await talk.send(prompt)
        await until((workspace / "said").exists, 30)
        await server.kill()
        os.kill(agent_log.starts()[0], signal.SIGKILL)
        await until(lambda: marked(mark) == [], 5 * SLACK, lambda: f"{marked(mark)}")
        await server.start()
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "interrupted"
        assert "signal 9" in ended["error"]["message"]
        await talk.judge(text=spoken_by(prompt))


async def test_a_forced_stop_ends_all_that_an_agent_started(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F26, F27, K7: the whole tree is gone within 15 s of the click."""
    stubborn = scripted("grandchildren", "ignore-eof", "ignore-term", "ignore-cancel", log=agent_log.path)
    server = await start_server(agents={"stubborn": stubborn}, env={"VOXPILOT_CANCEL_TIMEOUT": "0.3"})
    async with talking(server, workspace, "stubborn") as talk:
        turn = await talk.send(script(touch("said"), silent()))
        await until((workspace / "said").exists, 30)
        await talk.cancel()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        await only_the_server_is_left(server, mark, 15 * SLACK)
        await talk.judge()


async def test_a_killed_keeper_interrupts_the_turn_and_its_whole_tree_goes(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """K9: reported with the reason, reaped within 5 s, and the text is kept."""
    prompt = script(chunks(40), *map(spawn, WAYS_TO_SPAWN), touch("said"), silent())
    async with talking(server, workspace) as talk:
        turn = await talk.send(prompt)
        await until((workspace / "said").exists, 30)
        agent = agent_log.starts()[0]
        assert len(agent_log.spawned()) == 4
        await talk.says("<spawned:nohup>")
        os.kill(keeper_of(agent), signal.SIGKILL)
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "interrupted"
        assert "agent's background process was killed" in ended["error"]["message"]
        assert talk.states() == ["interrupted"]
        await only_the_server_is_left(server, mark)
        await talk.run(script(say("again")))
        await talk.judge(text=spoken_by(prompt) + "again")


async def test_a_keeper_killed_while_no_server_was_there_is_found_out_at_the_next_start(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """K6, K9: everything its agent had said until then is there."""
    prompt = script(
        chunks(40), spawn("double"), touch("said"), wait_file("go"), chunks(10), touch("more"), silent()
    )
    async with talking(server, workspace) as talk:
        turn = await talk.send(prompt)
        await until((workspace / "said").exists, 30)
        await server.kill()
        (workspace / "go").touch()
        await until((workspace / "more").exists, 30)
        keeper = keeper_of(agent_log.starts()[0])
        (journal,) = (server.data_dir / "keepers").glob("*/journal.*")
        await until(lambda: b"[000009]" in journal.read_bytes().rpartition(b"<spawned:double>")[2], 30)
        os.kill(keeper, signal.SIGKILL)
        await server.start()
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "interrupted"
        assert "agent's background process was killed" in ended["error"]["message"]
        await only_the_server_is_left(server, mark)
        await talk.judge(text=spoken_by(prompt))


async def test_a_deleted_chat_takes_its_running_agent_along(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F87, R11: the process tree and the rows are gone, and viewers are told."""
    async with talking(server, workspace, "scripted-grandchildren") as talk:
        await hold(talk, workspace)
        async with connect(server.url, f"/api/stream?chats={talk.id}", server.token) as stream:
            await stream.read_until("ready")
            await talk.api.delete_chat(talk.id)
            await stream.read_until(lambda e: e.kind == "chat-removed" and e.data["chat"] == talk.id)
        await until(lambda: talk.viewer.refused is not None, 10)
        assert talk.viewer.refused is not None
        assert talk.viewer.refused.status == 404
        with pytest.raises(ApiError, match="404"):
            await talk.api.chat(talk.id)
        await only_the_server_is_left(server, mark)
        for table in (
            "chats",
            "events",
            "turns",
            "agent_processes",
            "acp_sessions",
            "requests",
            "outbox",
            "blocks",
        ):
            assert ask(server.database, f"SELECT count(*) FROM {table}") == [(0,)], table
        assert list((server.data_dir / "keepers").iterdir()) == []
        assert agent_log.prompts() == [HOLD]


async def test_a_chat_can_be_deleted_while_its_agent_will_not_leave(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F87: also while it is only being started, with a message waiting."""
    stubborn = scripted("hang-init", "ignore-eof", "ignore-term", log=agent_log.path)
    server = await start_server(agents={"stubborn": stubborn})
    async with talking(server, workspace, "stubborn") as talk:
        await talk.send(script(say("never")))
        await until(lambda: len(agent_log.starts()) == 1, 30)
        await talk.send(script(say("never either")))
        await talk.api.delete_chat(talk.id)
        await only_the_server_is_left(server, mark)
        assert ask(server.database, "SELECT count(*) FROM turns") == [(0,)]


async def test_a_message_sent_while_the_machine_starts_reaches_a_new_agent(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """Server, keeper and agent are gone, as after a power cut; the message arrives right after the start."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("0")))
        for round in range(1, 5):
            agent = agent_log.starts()[-1]
            keeper = keeper_of(agent)
            await server.end_with(signal.SIGKILL)
            os.kill(keeper, signal.SIGKILL)
            await until(partial(_is_gone, keeper, agent), 10)
            async with asyncio.TaskGroup() as tasks:
                sending = tasks.create_task(_send_once_it_listens(talk, script(say(str(round)))))
                await server.start()
            await talk.ended(await sending)
            assert talk.states() == ["done"] * (round + 1)
        assert agent_log.prompts() == [script(say(str(round))) for round in range(5)]


def _is_gone(*pids: int) -> bool:
    return not any(is_alive(pid) for pid in pids)


async def _send_once_it_listens(talk: Talk, text: str) -> str:
    while True:
        try:
            return await talk.send(text, key=text)
        except (httpx2.TransportError, ApiError):
            await asyncio.sleep(0.001)
