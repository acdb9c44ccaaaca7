"""The kit's server, client and viewer, tested with a stand-in."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.sse import Viewer, connect, kinds
from tests.kit.machine.processes import marked, no_processes_left
from tests.kit.servers.config import MARK, scripted_agents, write_config
from tests.kit.servers.server import ServerFailed, ServerProcess
from tests.kit.waiting import until

STAND_IN = Path(__file__).with_name("stand_in_server.py")


@pytest.fixture
def stand_in(place: Path, mark: str) -> ServerProcess:
    package = place / "path" / "voxpilot"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    shutil.copy(STAND_IN, package / "__main__.py")
    config = write_config(place / "config.toml", scripted_agents(place))
    return ServerProcess(place / "data", config, env={MARK: mark, "PYTHONPATH": str(package.parent)})


@pytest.fixture
async def running(stand_in: ServerProcess) -> AsyncIterator[ServerProcess]:
    async with stand_in:
        yield stand_in


async def test_a_server_starts_ends_in_every_way_and_keeps_its_port(running: ServerProcess) -> None:
    port = running.port
    assert running.token == "a-token"
    assert await running.kill() == -9
    await running.restart()
    assert await running.terminate() == -15
    await running.restart()
    assert await running.interrupt() == 0
    assert running.port == port


async def test_a_server_that_does_not_start_says_why(stand_in: ServerProcess) -> None:
    del stand_in.env["PYTHONPATH"]
    stand_in.env["VOXPILOT_PORT"] = "no number"
    with pytest.raises(ServerFailed, match=r"ended with [12]"):
        await stand_in.start()


async def test_what_a_killed_server_leaves_is_ended_with_the_block(
    stand_in: ServerProcess, mark: str
) -> None:
    stand_in.env["STAND_IN_CHILD"] = "yes"
    async with stand_in:
        await stand_in.kill()
        assert len(marked(mark)) == 1
    await no_processes_left(mark)


async def test_a_client_says_its_token_and_turns_refusals_into_errors(running: ServerProcess) -> None:
    async with Api(running.url, running.token) as api:
        assert await api.blocks("c", before=7) == {"target": "/api/chats/c/blocks?before=7"}
    async with Api(running.url, "wrong") as api:
        with pytest.raises(ApiError) as refused:
            await api.chats()
    assert (refused.value.status, refused.value.code, refused.value.hint) == (
        401,
        "signed-out",
        "Use the link.",
    )


async def test_a_stream_is_read_until_the_wanted_event(running: ServerProcess) -> None:
    async with connect(running.url, "/api/chats/c/stream", running.token, after=17) as stream:
        seen = await stream.read_until("ready")
    assert kinds(seen) == ["text-delta"] * 3 + ["ready"]
    assert [event.id for event in seen] == ["18", "19", "20", None]
    assert seen[0].data["content"] == "é18"


async def test_a_viewer_cut_at_any_byte_sees_every_event_once(running: ServerProcess) -> None:
    for start in range(100, 400, 7):
        cuts = iter(range(start, start + 400, 97))
        async with Viewer(running.url, running.token, "c", cut_after=cuts, retry_seconds=0) as viewer:
            await viewer.read_until("ready")
        assert [event.seq for event in viewer.events if event.is_stored] == list(range(1, 21))
        assert viewer.connections > 1


async def test_a_viewer_comes_back_after_a_restart(running: ServerProcess) -> None:
    async with Viewer(running.url, running.token, "c") as viewer:
        await viewer.read_until("ready")
        await running.restart()
        await viewer.read_until("ready", since=len(viewer.events))
    assert [event.seq for event in viewer.events if event.is_stored] == list(range(1, 21))


async def test_a_viewer_that_is_sent_away_stops_trying(running: ServerProcess) -> None:
    async with Viewer(running.url, "wrong", "c") as viewer:
        await until(lambda: viewer.refused is not None)
    assert viewer.refused is not None
    assert viewer.refused.status == 401
