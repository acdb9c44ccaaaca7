"""Agents, keepers and chats that go away in mid-turn, and what they leave: nothing but the log."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import (
    chunks,
    die,
    error,
    leave,
    say,
    script,
    silent,
    spawn,
    spoken_by,
    touch,
    wait_file,
)
from tests.fakes.scripted.faults import WAYS_TO_SPAWN
from tests.faults.driver import SLACK, Talk, ask, keeper_of, said_by, talking
from tests.kit.agent_log import AgentLog
from tests.kit.client import ApiError
from tests.kit.config import scripted
from tests.kit.processes import is_alive, marked, zombies_of
from tests.kit.server import ServerProcess
from tests.kit.sse import connect
from tests.kit.waiting import until

TABLES = ("chats", "events", "turns", "agent_processes", "acp_sessions", "requests", "outbox", "blocks")
ENDS = {
    leave(0): "exit code 0",
    leave(7): "exit code 7",
    die("SEGV"): "signal 11, SIGSEGV",
    die("TERM"): "signal 15, SIGTERM",
}
HOLD = script(chunks(40), touch("said"), silent())


async def hold(talk: Talk, workspace: Path) -> str:
    """Begin a turn that has said forty chunks and waits; its id."""
    turn = await talk.send(HOLD)
    await until((workspace / "said").exists, 30)
    return turn


async def only_the_server_is_left(server: ServerProcess, mark: str, within: float = 5 * SLACK) -> float:
    """Wait until no process of the test but the server lives; how long that took."""
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


async def test_an_agent_that_leaves_in_mid_turn_interrupts_it(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F24, F23: with the exit code or the signal; every chunk before it is there."""
    said = ""
    for end, words in ENDS.items():
        prompt = script(chunks(500), end)
        async with talking(server, workspace) as talk:
            ended = await talk.run(prompt)
            assert ended["stop_reason"] == "interrupted"
            assert words in ended["error"]["message"]
            await talk.judge(text=spoken_by(prompt))
        said += spoken_by(prompt)
    assert said_by(agent_log) == said


async def test_messages_queued_behind_one_that_fails_run_in_order(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F24: after an error and after a crash alike; each runs once."""
    prompts = [
        script(wait_file("go"), say("a"), error(-32603, "broken")),
        script(say("b"), die()),
        script(say("c")),
        script(say("d"), leave(1)),
        script(say("e")),
    ]
    async with talking(server, workspace) as talk:
        turns = [await talk.send(prompt) for prompt in prompts]
        assert (await talk.api.chat(talk.id))["queued"] == 4
        (workspace / "go").touch()
        ends = [await talk.ended(turn) for turn in turns]
        assert talk.states() == ["failed", "interrupted", "done", "interrupted", "done"]
        assert "broken" in ends[0]["error"]["message"]
        assert agent_log.prompts() == prompts
        assert len(agent_log.starts()) == 3
        await talk.judge(text="abcde")


async def test_a_grandchild_does_not_outlive_its_agent(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F26, K9: the agent crashes, and what it had started goes with it, each way to start it alone."""
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
    """F26, K9: no server is there to help, and the next one says what happened."""
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
    """K9: told with the reason, reaped within 5 s, and what was said is kept."""
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
        assert "kept the agent was killed" in ended["error"]["message"]
        assert talk.states() == ["interrupted"]
        await only_the_server_is_left(server, mark)
        await talk.run(script(say("again")))
        await talk.judge(text=spoken_by(prompt) + "again")


async def test_a_keeper_killed_while_no_server_was_there_is_found_out_at_the_next_start(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """K6, K9: what its agent had said until then is all there."""
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
        assert "kept the agent was killed" in ended["error"]["message"]
        await only_the_server_is_left(server, mark)
        await talk.judge(text=spoken_by(prompt))


async def test_a_deleted_chat_takes_its_running_agent_along(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F87, R11: the tree is gone, the rows are gone, those who look on are told."""
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
