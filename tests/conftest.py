"""Fixtures every test may ask for: a mark on all processes it causes, the real server, a signed-in client."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.kit.agent_log import AgentLog
from tests.kit.client import Api
from tests.kit.config import MARK, scripted_agents, write_config
from tests.kit.llm import ScriptedLlm, scripted_llm
from tests.kit.processes import end_marked
from tests.kit.server import ServerProcess

StartServer = Callable[..., Awaitable[ServerProcess]]
NoteFigure = Callable[[str], None]
LONG = (
    "tests/survival/",
    "tests/stories/test_long_talk.py",
    "tests/browser/test_looks.py",
    "tests/real_agents/",
)

settings.register_profile("any-speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-speed")  # how long an example takes says more of the machine than of us


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first: at the end one test would run alone for minutes."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


@pytest.fixture
def note_figure(record_property: Callable[[str, object], None]) -> NoteFigure:
    """What was measured or counted, told at the end of the run."""
    return lambda text: record_property("figure", text)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    properties = [named for report in reports for named in getattr(report, "user_properties", [])]
    for text in sorted({str(value) for name, value in properties if name == "figure"}):
        terminalreporter.write_line(text)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A word that every process of this test carries in its environment; none may be left at its end."""
    word = f"mark-{uuid.uuid4().hex}"
    monkeypatch.setenv(MARK, word)
    yield word
    left = end_marked(word)
    assert not left, f"processes left behind: {left}"


@pytest.fixture
def place(tmp_path: Path, mark: str) -> Path:
    """A folder whose path holds the mark, so that a command line naming it carries the mark too."""
    folder = tmp_path / mark
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
def llm(place: Path) -> Iterator[ScriptedLlm]:
    """A model that does what the message says, and keeps all that it was asked."""
    with scripted_llm(place / "llm.log", ["--bodies"]) as running:
        yield running


@pytest.fixture
async def start_server(place: Path, mark: str) -> AsyncIterator[StartServer]:
    """Start a server: `await start_server(agents={...}, settings={...}, env={...})`; stopped with the test.

    `agents` are added to the scripted ones. `kill_point` is for the first run only.
    """
    async with AsyncExitStack() as servers:

        async def start(
            agents: Mapping[str, Mapping[str, Any]] | None = None,
            settings: Mapping[str, Any] | None = None,
            env: Mapping[str, str] | None = None,
            data_dir: Path | None = None,
            kill_point: str | None = None,
        ) -> ServerProcess:
            config = write_config(
                place / "config.toml", scripted_agents(place) | dict(agents or {}), settings
            )
            server = ServerProcess(data_dir or place / "data", config, env={MARK: mark, **(env or {})})
            servers.push_async_callback(server.close)
            await server.start(kill_point)
            return server

        yield start


@pytest.fixture
async def server(start_server: StartServer) -> ServerProcess:
    """A server with the scripted agents, running."""
    return await start_server()


@pytest.fixture
async def api(server: ServerProcess) -> AsyncIterator[Api]:
    """A client of `server` with its token."""
    async with Api(server.url, server.token) as client:
        yield client
