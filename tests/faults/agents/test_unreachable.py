"""A keeper that cannot be reached, an agent that closes its pipes: what is reported as ended has ended."""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from tests.conftest import StartServer
from tests.fakes.script import ALLOW, ask, chunks, close, say, script, silent, spoken_by, wait_file
from tests.kit.clients.driver import keeper_of, talking
from tests.kit.machine.processes import is_alive, marked
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

NOTICED_WITHIN = 20.0
TRIES = 5


@pytest.fixture
async def server(start_server: StartServer) -> ServerProcess:
    return await start_server(env={"VOXPILOT_CANCEL_TIMEOUT": "1"})


def freeze(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)


def home_of(server: ServerProcess) -> Path:
    (home,) = (server.data_dir / "keepers").iterdir()
    return home


async def test_a_stop_with_a_frozen_keeper_ends_the_agent_before_it_says_so(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """B6: the whole process tree is gone when the turn is reported as ended, and the next message works."""
    async with talking(server, workspace, "scripted-ignore-cancel") as talk:
        turn = await talk.send(script(say("text"), "spawn setsid", silent()))
        await talk.says("text")
        agent = agent_log.starts()[0]
        keeper = keeper_of(agent)
        freeze(keeper)
        await talk.cancel()
        assert (await talk.ended(turn, NOTICED_WITHIN))["stop_reason"] == "cancelled"
        assert not is_alive(agent)
        assert not is_alive(keeper)
        assert [found.pid for found in marked(mark) if found.pid != server.pid] == []
        await talk.run(script(say("again")))


async def test_a_frozen_keeper_is_noticed_and_woken(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """B6: the chat says that the agent cannot be reached; later all its output is there."""
    async with talking(server, workspace) as talk:
        prompt = script(say("text"), wait_file("go"), chunks(50))
        turn = await talk.send(prompt)
        await talk.says("text")
        freeze(keeper_of(agent_log.starts()[0]))
        (workspace / "go").touch()
        await talk.notice("agent-unreachable", NOTICED_WITHIN)
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        await talk.notice("agent-reachable")
        await talk.judge(text=spoken_by(prompt))


async def freeze_starting(server: ServerProcess, agent_log: AgentLog, started: int) -> int | None:
    """Freeze the foreground process of a starting keeper, which lives only hundredths of a second; None if
    that was missed."""
    while len(agent_log.starts()) == started:
        for children in Path(f"/proc/{server.pid}/task").glob("*/children"):
            with suppress(OSError):
                for pid in map(int, children.read_text().split()):
                    if b"keeper/program" in Path(f"/proc/{pid}/cmdline").read_bytes():
                        freeze(pid)
                        return pid
        await anyio.lowlevel.checkpoint()
    return None


async def test_a_keeper_that_is_frozen_while_it_starts_is_woken(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    for started in range(TRIES):
        async with talking(server, workspace) as talk:
            turn = await talk.send(script(say("text")))
            front = await freeze_starting(server, agent_log, started)
            assert (await talk.ended(turn, NOTICED_WITHIN))["stop_reason"] == "end_turn"
            assert len(agent_log.starts()) == started + 1
        if front is not None:
            return
    raise AssertionError("no keeper was frozen in time")


async def test_of_a_keeper_that_stays_frozen_while_it_starts_nothing_is_left(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """Its agent may run already: only the foreground process, which the server waits for, is stopped."""
    for started in range(TRIES):
        async with talking(server, workspace) as talk:
            await talk.send(script(say("text"), silent()))
            front = await freeze_starting(server, agent_log, started)
            if front is None:
                continue
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(keep_frozen, front)
                await server.interrupt()
        assert marked(mark) == []
        return
    raise AssertionError("no keeper was frozen in time")


async def keep_frozen(pid: int) -> None:
    while is_alive(pid):
        with suppress(ProcessLookupError):
            freeze(pid)
        await anyio.sleep(0.01)


async def test_a_deleted_socket_is_made_again(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """B6: a server that starts later reaches the agent, and so does an answer."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("text"), ask("t1"), say("b")))
        question = await talk.question()
        await server.kill()
        (home_of(server) / "socket").unlink()
        await server.start()
        await talk.answer(question, ALLOW)
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert len(agent_log.starts()) == 1


async def test_a_chat_is_deleted_with_its_frozen_agent_also_after_a_restart(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """B6: the server that froze with the keeper was killed, and the next one never connected to the agent."""
    async with talking(server, workspace) as talk:
        await talk.send(script(say("text"), silent()))
        await talk.says("text")
        freeze(keeper_of(agent_log.starts()[0]))
        await server.kill()
        await server.start()
        await talk.api.delete_chat(talk.id)
        assert [found.pid for found in marked(mark) if found.pid != server.pid] == []


async def test_ctrl_c_ends_frozen_agents_too(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    async with talking(server, workspace) as talk:
        await talk.send(script(say("text"), silent()))
        await talk.says("text")
        freeze(keeper_of(agent_log.starts()[0]))
        await server.interrupt()
        assert marked(mark) == []


@pytest.mark.parametrize("inside", [False, True])
async def test_an_agent_whose_files_are_deleted_is_ended_and_not_started_twice(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str, inside: bool
) -> None:
    """B6: nobody could find it any more."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("text"), silent()))
        await talk.says("text")
        await server.kill()
        home = home_of(server)
        shutil.rmtree(home)
        if inside:
            home.mkdir()
        await server.start()
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "interrupted"
        assert [found.pid for found in marked(mark) if found.pid != server.pid] == []
        assert len(agent_log.starts()) == 1


async def test_files_deleted_while_the_server_looks_on_end_the_agent(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("text"), silent()))
        await talk.says("text")
        shutil.rmtree(home_of(server))
        ended = await talk.ended(turn, NOTICED_WITHIN)
        assert ended["stop_reason"] == "interrupted"
        await until(lambda: not is_alive(agent_log.starts()[0]), 10)


async def test_a_file_in_place_of_the_keepers_folder_is_told_and_nothing_waits_for_it(
    server: ServerProcess, workspace: Path
) -> None:
    keepers = server.data_dir / "keepers"
    async with talking(server, workspace) as talk:
        keepers.rmdir()
        keepers.write_text("")
        ended = await talk.run(script(say("again")))
        assert (ended["stop_reason"], "Not a directory" in ended["error"]["message"]) == ("error", True), (
            ended
        )
        keepers.unlink()
        assert (await talk.run(script(say("again"))))["stop_reason"] == "end_turn"


async def test_an_agent_that_closes_its_output_and_lives_is_ended(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """B10: it can send nothing more, so its turn ends with the reason."""
    async with talking(server, workspace, "scripted-ignore-cancel") as talk:
        turn = await talk.send(script(say("text"), close(1), silent()))
        await talk.says("text")
        ended = await talk.ended(turn, 15)
        assert ended["stop_reason"] == "interrupted"
        assert "closed its output" in ended["error"]["message"]
        await until(lambda: not is_alive(agent_log.starts()[0]), 10)
        assert (await talk.run(script(say("again"))))["stop_reason"] == "end_turn"


async def test_an_agent_may_close_its_error_output(server: ServerProcess, workspace: Path) -> None:
    async with talking(server, workspace) as talk:
        prompt = script(say("text"), close(2), chunks(20, every_ms=150))
        assert (await talk.run(prompt))["stop_reason"] == "end_turn"
