"""Tool servers from VoxPilot's settings are passed to each real agent, which uses them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes import tool_server
from tests.fakes.tool_server import TOOL, WORD
from tests.kit.clients.driver import Talk
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess, free_port
from tests.kit.waiting import until
from tests.real_agents.day import PATIENCE, run, run_allowing
from tests.real_agents.provision import RealAgent
from tests.real_agents.sheet import Sheet

PROGRAM = [sys.executable, "-I", str(tool_server.__file__)]


@pytest.fixture
def by_pipe(place: Path) -> Path:
    """The requests to the tool server that agents start."""
    return place / "by-pipe.jsonl"


@pytest.fixture
def by_http(place: Path) -> Path:
    """The requests to the tool server that listens on a port."""
    return place / "by-http.jsonl"


@pytest.fixture
def address(by_http: Path) -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen([*PROGRAM, str(by_http), str(port)])
    yield f"http://127.0.0.1:{port}/mcp"
    process.kill()
    process.wait()


@pytest.fixture
async def server(
    start_server: StartServer, agent: RealAgent, llm: ScriptedLlm, place: Path, by_pipe: Path, address: str
) -> ServerProcess:
    started = {"command": PROGRAM[0], "args": [*PROGRAM[1:], str(by_pipe)]}
    servers = {"started": started, "listening": {"type": "http", "url": address}}
    return await start_server(agent.tables, {"mcp_servers": servers}, agent.environment(place / "home", llm))


async def test_tool_servers_are_used(
    talk: Talk, agent: RealAgent, llm: ScriptedLlm, place: Path, by_pipe: Path, by_http: Path, sheet: Sheet
) -> None:
    """Started or called by the agent with its session; a tool that its model gets immediately works."""
    await run(talk, "say Ready.")
    await until(lambda: "tools/list" in _asked(by_http), PATIENCE, "the server that listens was not asked")
    sheet.note("tools-http", "tools/list" in _asked(by_http))
    if refusal := _refusal(agent, place):
        assert _asked(by_pipe) == []
        assert "started" in talk.notices("tool-servers-left-out")[0]["text"]
        sheet.note("tools-stdio", False, refusal)
    else:
        await until(
            lambda: "tools/list" in _asked(by_pipe), PATIENCE, "the server to be started was not asked"
        )
        sheet.note("tools-stdio", True)
    await run(talk, "say And now.")
    for name in [name for name in llm.asked("say And now.")[-1]["tools"] if TOOL in name]:
        turn = await run_allowing(talk, f"call {name} {{}}")
        assert turn.stop_reason == "end_turn"
        assert WORD in llm.asked(name)[-1]["last_result"]
    await talk.judge()


def _refusal(agent: RealAgent, place: Path) -> str:
    """One agent accepts no programs from its client, and says so in its log."""
    lines = [line for log in place.glob("home/.copilot/logs/*.log") for line in log.read_text().splitlines()]
    said = [line.rpartition("] ")[2] for line in lines if "Rejecting non-http/sse" in line]
    return f"its log says: {said[0]}" if said else ""


def _asked(log: Path) -> list[str]:
    lines = log.read_text().splitlines() if log.exists() else []
    return [json.loads(line).get("method") for line in lines]
