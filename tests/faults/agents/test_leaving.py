"""The ways a server leaves, and agents nobody needs: who goes, who stays, what the next start finds.

What needs no processes: tests/runtime/agents/test_leaving.py.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anyio

from tests.conftest import StartServer
from tests.fakes.script import ALLOW, ask, chunks, say, script, silent, sleep, spoken_by, touch, wait_file
from tests.kit.clients.client import Api
from tests.kit.clients.driver import SLACK, Talk, keeper_of, talking
from tests.kit.clients.driver import ask as ask_database
from tests.kit.machine.processes import is_alive, marked
from tests.kit.oracles.oracle import judge, stored
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

TURNS = 10


def working(number: int) -> str:
    """Sends fifty chunks, waits to continue, sends fifty more, waits to end."""
    first = (chunks(50), touch(f"said-{number}"), wait_file("go"))
    return script(*first, chunks(50), touch(f"more-{number}"), wait_file("end"), say(f"end {number}"))


@asynccontextmanager
async def ten_running_turns(
    server: ServerProcess, workspace: Path, agents: tuple[str, ...] = ("scripted",)
) -> AsyncIterator[list[Talk]]:
    """Ten chats, each with a turn that has sent fifty chunks and waits."""
    async with AsyncExitStack() as stack:
        talks = []
        for number in range(TURNS):
            talk = await stack.enter_async_context(talking(server, workspace, agents[number % len(agents)]))
            await talk.send(working(number))
            talks.append(talk)
        for number in range(TURNS):
            await until((workspace / f"said-{number}").exists, 60)
        yield talks


async def test_ctrl_c_ends_ten_running_turns_and_their_agents(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F44, F26, R10: cancelled, then ended; within 10 s, states final, exit code 0, nothing left.

    Also with agents that have started children and ignore a cancel, the end of their input and SIGTERM.
    """
    stubborn = scripted("grandchildren", "ignore-cancel", "ignore-eof", "ignore-term", log=agent_log.path)
    server = await start_server(agents={"stubborn": stubborn})
    agents = ("scripted", "stubborn", "scripted-ignore-eof", "scripted-grandchildren", "scripted")
    async with ten_running_turns(server, workspace, agents) as talks:
        assert len(agent_log.spawned()) == 4 * 4
        begun = time.monotonic()
        assert await server.interrupt() == 0
        assert time.monotonic() - begun <= 10 * SLACK
        assert marked(mark) == []
        assert len(agent_log.received("session/cancel")) == TURNS
        assert [talk.states() for talk in talks] == [["cancelled"]] * TURNS
        assert [talk.processes() for talk in talks] == [["ended"]] * TURNS
        assert list((server.data_dir / "keepers").iterdir()) == []
        await server.start()
        for talk in talks:
            shown = await talk.api.chat(talk.id)
            assert (shown["running"], shown["last_turn"]) == (False, "cancelled")
            await talk.judge()
            assert talk.text().endswith(spoken_by(script(chunks(50))))
        assert len(agent_log.starts()) == TURNS


async def test_messages_that_wait_when_ctrl_c_comes_run_at_the_next_start(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F44: queued messages are neither dropped nor started during the shutdown."""
    server = await start_server(env={"VOXPILOT_QUIET_TIME": "0"})
    async with talking(server, workspace) as talk:
        await talk.send(script(say("one"), touch("said"), silent()))
        await until((workspace / "said").exists, 30)
        second = await talk.send(script(say("two")))
        assert await server.interrupt() == 0
        assert talk.states() == ["cancelled", "queued"]
        await server.start()
        assert (await talk.ended(second))["stop_reason"] == "end_turn"
        assert len(agent_log.starts()) == 2
        await talk.judge(text="onetwo")


async def test_a_second_ctrl_c_leaves_at_once_and_the_next_start_finishes_the_work(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F44: agents that are still exiting are ended by the next start; then every state is final."""
    stubborn = scripted("ignore-cancel", "ignore-eof", "ignore-term", log=agent_log.path)
    server = await start_server(agents={"stubborn": stubborn}, env={"VOXPILOT_CANCEL_TIMEOUT": "60"})
    async with talking(server, workspace, "stubborn") as talk:
        turn = await talk.send(script(say("one"), touch("said"), silent()))
        await until((workspace / "said").exists, 30)
        server.send_signal(signal.SIGINT)
        await until(lambda: talk.notices("stopping") != [], 10)
        begun = time.monotonic()
        assert await server.interrupt() == 130
        assert time.monotonic() - begun <= 0.5 * SLACK
        server.env["VOXPILOT_CANCEL_TIMEOUT"] = "0.5"
        await server.start()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert talk.states() == ["cancelled"]
        await until(lambda: {found.pid for found in marked(mark)} == {server.pid}, 15 * SLACK)
        await talk.judge(text="one")


async def test_sigterm_leaves_ten_turns_running_and_the_next_start_takes_them_up(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F44, K9: the server is gone within 2 s, its agents continue, and no text is lost or duplicated."""
    async with ten_running_turns(server, workspace) as talks:
        agents = agent_log.starts()
        begun = time.monotonic()
        await server.terminate()
        assert time.monotonic() - begun <= 2 * SLACK
        assert all(is_alive(pid) for pid in agents)
        (workspace / "go").touch()
        for number in range(TURNS):
            await until((workspace / f"more-{number}").exists, 60)
        await server.start()
        begun = time.monotonic()
        for talk in talks:
            await talk.notice("recovered")
        assert time.monotonic() - begun <= 2 * SLACK
        for talk in talks:
            assert (await talk.api.chat(talk.id))["running"]
        (workspace / "end").touch()
        for number, talk in enumerate(talks):
            await talk.viewer.read_turns(1)
            await talk.judge(text=spoken_by(working(number)))
            assert talk.states() == ["done"]
        assert agent_log.starts() == agents
        assert len(agent_log.prompts()) == TURNS


async def test_turns_that_end_while_no_server_is_there_are_found_ended(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F44: SIGHUP leaves agents as SIGTERM does; the answer waits in the journal."""
    prompt = script(chunks(20), touch("said"), wait_file("go"), chunks(20))
    async with talking(server, workspace) as talk:
        turn = await talk.send(prompt)
        queued = await talk.send(script(say("next")))
        await until((workspace / "said").exists, 30)
        await server.end_with(signal.SIGHUP)
        (workspace / "go").touch()
        answered = '"stopReason":"end_turn"'
        (journal,) = (server.data_dir / "keepers").glob("*/journal.*")
        await until(lambda: answered.encode() in journal.read_bytes(), 30)
        await server.start()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert (await talk.ended(queued))["stop_reason"] == "end_turn"
        assert len(agent_log.starts()) == 1
        await talk.judge(text=spoken_by(prompt) + "next")


async def test_stop_ends_the_server_and_every_agent(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """K9: `voxpilot stop` with a turn running: nothing is left, the turn's state is final."""
    async with talking(server, workspace, "scripted-grandchildren") as talk:
        await talk.send(script(say("one"), touch("said"), silent()))
        await until((workspace / "said").exists, 30)
        assert await run_stop(server) == 0
        assert server.exit_code == 0
        assert marked(mark) == []
        assert talk.states() == ["cancelled"]
        await server.start()
        await talk.judge()


async def test_stop_ends_agents_whose_server_was_killed(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """K9: and the next start says that they were stopped."""
    async with talking(server, workspace, "scripted-grandchildren") as talk:
        turn = await talk.send(script(say("one"), touch("said"), silent()))
        await until((workspace / "said").exists, 30)
        await server.kill()
        assert all(is_alive(pid) for pid in agent_log.starts())
        assert await run_stop(server) == 0
        assert marked(mark) == []
        await server.start()
        ended = await talk.ended(turn)
        assert (ended["stop_reason"], ended["error"]["message"]) == ("interrupted", "The agent was stopped.")
        await talk.judge()


async def run_stop(server: ServerProcess) -> int:
    """`voxpilot stop` for this server; returns its exit code."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("VOXPILOT_")}
    env |= {"VOXPILOT_DATA_DIR": str(server.data_dir), "VOXPILOT_CONFIG": str(server.config)}
    command = [sys.executable, "-m", "voxpilot", "stop"]
    with anyio.fail_after(60):
        done = await anyio.run_process(command, env=env, check=False, stdout=subprocess.DEVNULL)
    return done.returncode


async def test_an_idle_agent_is_stopped_when_nobody_looks(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F85, R12–R14: but not during a turn, however long; nothing is left; the next message starts it."""
    server = await start_server(env={"VOXPILOT_COPILOT_CONNECTION_TTL": "0.3"})
    async with Api(server.url, server.token) as api:
        chat = (await api.create_chat(workspace))["id"]
        # The turn takes four times as long as an idle agent is kept.
        await api.prompt(chat, script(say("one"), sleep(1.2), say("two")))
        await until(lambda: last_turn(server, chat) == "done", 30)
        assert len(agent_log.starts()) == 1
        await until(lambda: {found.pid for found in marked(mark)} == {server.pid}, 10 * SLACK)
        await api.prompt(chat, script(say("three")))
        await until(lambda: last_turn(server, chat) == "done" and len(agent_log.starts()) == 2, 30)
        await until(lambda: {found.pid for found in marked(mark)} == {server.pid}, 10 * SLACK)
        await until(lambda: times_stopped(server, chat) == 2, 10)
        judge(server.database, chat, text="onetwothree")


async def test_an_agent_left_alone_works_on_past_its_idle_time_and_then_goes(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F85, K5: also without a server: never during a turn, or while it waits for an answer."""
    server = await start_server(env={"VOXPILOT_COPILOT_CONNECTION_TTL": "0.3"})
    prompt = script(touch("begun"), sleep(1.2), ask("t1"), say("end"))
    async with talking(server, workspace) as talk:
        turn = await talk.send(prompt)
        await until((workspace / "begun").exists, 30)
        await server.kill()
        keeper = keeper_of(agent_log.starts()[0])
        # It asks long after an idle one would have been stopped.
        await until(lambda: len(agent_log.sent("session/request_permission")) == 1, 30)
        assert is_alive(keeper)
        await server.start()
        await talk.answer(await talk.question(), ALLOW)
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        await server.kill()
        await until(lambda: marked(mark) == [], 10 * SLACK)
        await server.start()
        stopped = await talk.sees(
            lambda e: e.kind == "agent-status" and e.data["status"] == "disconnected", 10 * SLACK
        )
        assert stopped["message"] == "The agent was stopped."
        await talk.judge(text=spoken_by(prompt, [ALLOW]))


def times_stopped(server: ServerProcess, chat: str) -> int:
    rows = stored(server.database, chat)
    return sum(row.data.get("message") == "The agent was stopped." for row in rows)


def last_turn(server: ServerProcess, chat: str) -> str:
    sql = "SELECT state FROM turns WHERE chat_id = ? ORDER BY number DESC LIMIT 1"
    return str(ask_database(server.database, sql, chat)[0][0])
