"""Agents that are reached over TCP: the same promises as over pipes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.conftest import StartServer
from tests.fakes.script import agent_command, ask, chunks, die, say, script, silent, spoken_by, wait_file
from tests.kit.clients.driver import SLACK, talking
from tests.kit.machine.processes import marked, no_processes_left
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import MARK
from tests.kit.servers.server import free_port
from tests.kit.waiting import until

LISTENING = str(Path(__file__).parents[2] / "fakes" / "listening.py")


def listening(port: int, *more: str, log: Path | None = None) -> list[str]:
    return [sys.executable, "-I", "-S", LISTENING, str(port), *more, *agent_command(log=log)]


def started(port: int, *more: str, log: Path | None = None) -> dict[str, Any]:
    """An agent that is started, and then connected to."""
    command, *args = listening(port, *more, log=log)
    return {"command": command, "args": args, "port": port, "pass_env": [MARK]}


@contextmanager
def running(port: int) -> Iterator[int]:
    """An agent that somebody else started."""
    program = subprocess.Popen(listening(port), stdout=subprocess.PIPE)
    with program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == b"listening\n"
            yield program.pid
        finally:
            program.kill()


async def test_an_agent_is_started_and_then_connected_to(
    start_server: StartServer, workspace: Path, place: Path, mark: str
) -> None:
    """R16: with retries until it listens; the server is killed meanwhile, nothing is lost."""
    log = place / "agent.jsonl"
    server = await start_server(agents={"tcp": started(free_port(), "--after", "0.5", log=log)})
    prompt = script(chunks(300), wait_file(place / "go"), chunks(300), ask(), say("done"))
    async with talking(server, workspace, "tcp") as talk:
        turn = await talk.send(prompt)
        await talk.says("0")
        await server.kill()
        (place / "go").touch()
        await server.start()
        await talk.answer(await talk.question(), "opt-allow")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        await talk.judge(text=spoken_by(prompt, ["opt-allow"]))
        assert len(AgentLog(log).starts()) == 1
    await server.interrupt()
    await no_processes_left(mark)


async def test_an_agent_that_somebody_else_runs_is_only_connected_to(
    start_server: StartServer, workspace: Path
) -> None:
    """R16: it is killed in the middle of a turn; everything it said before is kept."""
    port = free_port()
    server = await start_server(agents={"there": {"tcp": f"127.0.0.1:{port}"}})
    prompt = script(chunks(2000), say("last words"), silent())
    with running(port) as agent:
        async with talking(server, workspace, "there") as talk:
            turn = await talk.send(prompt)
            await talk.says("last words")
            os.kill(agent, signal.SIGKILL)
            ended = await talk.ended(turn, 2 * SLACK)
            assert ended["stop_reason"] == "interrupted"
            assert "agent closed the connection" in ended["error"]["detail"]
            await talk.judge(text=spoken_by(prompt))


async def test_a_program_killed_in_mid_turn_is_told_and_its_words_are_kept(
    start_server: StartServer, workspace: Path, mark: str
) -> None:
    """R16, F23"""
    server = await start_server(agents={"tcp": started(free_port())})
    prompt = script(chunks(2000), say("last words"), die())
    async with talking(server, workspace, "tcp") as talk:
        ended = await talk.run(prompt)
        assert ended["stop_reason"] == "interrupted"
        assert "signal 9" in ended["error"]["message"]
        await talk.judge(text=spoken_by(prompt))
        await until(lambda: len(marked(mark)) == 1, 5 * SLACK)


async def test_stopping_ends_the_program_too(
    start_server: StartServer, workspace: Path, place: Path, mark: str
) -> None:
    """R16, K9: nothing is left, and the port is free."""
    port = free_port()
    server = await start_server(agents={"tcp": started(port)})
    async with talking(server, workspace, "tcp") as talk:
        await talk.run(script(say("hello")))
        await talk.api.delete_chat(talk.id)
        await until(lambda: len(marked(mark)) == 1, 5 * SLACK)
    with socket.create_server(("127.0.0.1", port), reuse_port=False):
        pass


async def test_what_cannot_be_started_is_named_as_over_pipes(
    start_server: StartServer, workspace: Path
) -> None:
    """R16, F1, F3: no program, or one that ends before anybody can connect; nobody there at all."""
    port = free_port()
    server = await start_server(
        agents={
            "missing": {"command": "no-such-agent", "port": port},
            "ending": {"command": "sh", "args": ["-c", "echo no licence >&2; exit 3"], "port": port},
            "nobody": {"tcp": f"127.0.0.1:{port}"},
        },
        env={"VOXPILOT_START_TIMEOUT": "1"},
    )
    for agent, why in {
        "missing": "'no-such-agent' was not found on PATH",
        "ending": "exit code 3",
        "nobody": "did not respond within 1 s",
    }.items():
        async with talking(server, workspace, agent) as talk:
            ended = await talk.run(script(say("hello")))
            assert why in ended["error"]["message"]
            if agent == "ending":
                assert ended["error"]["detail"] == "no licence"
