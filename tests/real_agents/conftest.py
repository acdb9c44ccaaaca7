"""Each test here runs against every real agent, at its pinned version, started by its preset as shipped.

One has no preset, and is started as the manual says.
"""

from __future__ import annotations

import tomllib
from collections.abc import AsyncIterator, Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from scripts.real_agents import missing
from tests.conftest import StartServer
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.llm import ScriptedLlm, scripted_llm
from tests.kit.servers.server import ServerProcess
from tests.real_agents.provision import AGENTS, RealAgent
from tests.real_agents.sheet import Sheet


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slowest agent is started eight times in one test, and may take 7 s each time on a busy machine."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(400))


@pytest.fixture(params=AGENTS, ids=lambda agent: agent.id)
def agent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> RealAgent:
    """Every real agent in turn; it sees none of the machine's own settings for it."""
    if why := missing():
        pytest.fail(why, pytrace=False)
    for preset in tomllib.loads(
        (files("voxpilot.agents.installed") / "known_agents.toml").read_text()
    ).values():
        for name in preset.get("pass_env", ()):
            monkeypatch.delenv(name, raising=False)
    chosen: RealAgent = request.param
    return chosen


@pytest.fixture
def llm(place: Path) -> Iterator[ScriptedLlm]:
    with scripted_llm(place / "llm.log") as running:
        yield running


@pytest.fixture
def sandbox(request: pytest.FixtureRequest) -> str:
    """The agent's sandbox level; none, unless the test sets another."""
    return str(getattr(request, "param", "off"))


@pytest.fixture
async def server(
    start_server: StartServer, agent: RealAgent, llm: ScriptedLlm, place: Path, sandbox: str
) -> ServerProcess:
    """A server on which this agent can be used."""
    tables = agent.tables if sandbox == "off" else agent.sandboxed(sandbox)
    return await start_server(agents=tables, env=agent.environment(place / "home", llm))


@pytest.fixture
async def talk(server: ServerProcess, agent: RealAgent, workspace: Path) -> AsyncIterator[Talk]:
    """A chat with the agent."""
    async with talking(server, workspace, agent.id) as talk:
        yield talk


@pytest.fixture
def sheet(agent: RealAgent) -> Iterator[Sheet]:
    """What is recorded here must match the manual."""
    sheet = Sheet(agent)
    yield sheet
    sheet.settle()
