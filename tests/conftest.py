"""Fixtures for every test: a mark on all its processes, the real server, a signed-in client."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.kit.clients.client import Api
from tests.kit.machine.processes import end_marked, wait_until_gone
from tests.kit.memory.loop import MemoryLoop
from tests.kit.memory.server import MemoryServer
from tests.kit.oracles.frames import check_frames
from tests.kit.order import LONG, dealt, rank
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm, scripted_llm
from tests.kit.servers import running
from tests.kit.servers.config import FAULTS, MARK, faults_named_in, scripted_agents, write_config
from tests.kit.servers.running import Server
from tests.kit.servers.server import ServerProcess

StartServer = Callable[..., Awaitable[ServerProcess]]
NoteFigure = Callable[[str], None]
settings.register_profile("any-speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-speed")  # how long an example takes depends more on the machine than on us


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long tests come first: otherwise one test might run alone for minutes at the end."""
    items.sort(key=lambda item: rank(item.nodeid))
    count = sum(rank(item.nodeid) < len(LONG) for item in items)
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    items[:] = dealt(items[:count], items[count:], workers)


@pytest.fixture
def note_figure(record_property: Callable[[str, object], None]) -> NoteFigure:
    """Measured figures, printed at the end of the run."""
    return lambda text: record_property("figure", text)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    properties = [named for report in reports for named in getattr(report, "user_properties", [])]
    for text in sorted({str(value) for name, value in properties if name == "figure"}):
        terminalreporter.write_line(text)


@pytest.fixture
def anyio_backend(is_in_memory: bool) -> str | tuple[str, dict[str, Any]]:
    return ("asyncio", {"loop_factory": MemoryLoop}) if is_in_memory else "asyncio"


@pytest.fixture
def is_in_memory(request: pytest.FixtureRequest) -> bool:
    """Whether this test has its server and agents in its own process (tests/kit/memory)."""
    return request.node.get_closest_marker("in_memory") is not None


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A word in the environment of every process of this test; none may be left at its end."""
    word = f"mark-{uuid.uuid4().hex}"
    monkeypatch.setenv(MARK, word)
    yield word
    wait_until_gone(word, 3)  # what is on its way out is not left behind
    left = end_marked(word)
    assert not left, f"processes left behind: {left}"


@pytest.fixture
def place(tmp_path: Path, is_in_memory: bool, request: pytest.FixtureRequest) -> Path:
    """A folder whose path contains the mark, so that a command line with this path contains it too."""
    folder = tmp_path / ("in-memory" if is_in_memory else request.getfixturevalue("mark"))
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(place: Path) -> Path:
    """An empty folder for chats to work in."""
    folder = place / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def agent_log(place: Path) -> AgentLog:
    """What the scripted agents of `start_server` received."""
    return AgentLog(place / "agent.jsonl")


@pytest.fixture
def llm(place: Path, mark: str) -> Iterator[ScriptedLlm]:
    """A model that does what the message says, and records all requests."""
    with scripted_llm(place / "llm.log", ["--bodies"]) as running:
        yield running


@pytest.fixture
async def start_server(
    place: Path, is_in_memory: bool, request: pytest.FixtureRequest
) -> AsyncIterator[running.StartServer]:
    """Start a server: `await start_server(agents={...}, settings={...}, env={...})`; stopped with the test.

    `agents` are added to the scripted ones. `kill_point` is for the first run only. In memory, every frame
    that agents received is held against the official schema at the end.
    """
    mark = {} if is_in_memory else {MARK: request.getfixturevalue("mark")}
    faults = faults_named_in(inspect.getsource(request.module)) if is_in_memory else FAULTS
    async with AsyncExitStack() as servers:

        async def start(
            agents: Mapping[str, Mapping[str, Any]] | None = None,
            settings: Mapping[str, Any] | None = None,
            env: Mapping[str, str] | None = None,
            data_dir: Path | None = None,
            kill_point: str | None = None,
        ) -> Server:
            known = scripted_agents(place, faults)
            config = write_config(place / "config.toml", known | dict(agents or {}), settings)
            make = MemoryServer if is_in_memory else ServerProcess
            server = make(data_dir or place / "data", config, env={**mark, **(env or {})})
            servers.push_async_callback(server.close)
            await server.start(kill_point)
            return server

        yield start
    for log in place.glob("*.jsonl") if is_in_memory else ():
        check_frames(AgentLog(log))


@pytest.fixture
async def server(start_server: running.StartServer) -> Server:
    """A server with the scripted agents, running."""
    return await start_server()


@pytest.fixture
async def api(server: Server) -> AsyncIterator[Api]:
    """A client of `server` with its token."""
    async with Api(server.url, server.token) as client:
        yield client
