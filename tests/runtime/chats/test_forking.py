"""A copy of an agent's session, and trust that is taken back.

What needs processes: tests/stories/sessions/test_forking.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import say, script
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.running import Server, StartServer

pytestmark = pytest.mark.in_memory

FOLDERS = "/api/trusted-folders"


@pytest.fixture
async def server(start_server: StartServer, place: Path, agent_log: AgentLog) -> Server:
    """A server that trusts no folder yet, with an agent that forks."""
    forks = scripted(log=agent_log.path, options=["--store", str(place / "agent"), "--forks"])
    return await start_server(agents={"forks": forks}, settings={"trusted_folders": []})


async def trusting(talk: Talk, text: str, number: int = 1) -> None:
    """A turn that starts with trusting the folder."""
    turn = await talk.send(text)
    question = await talk.question(number)
    assert "trust" in question["title"]
    await talk.answer(question, "trust")
    await talk.ended(turn)


async def trusted(api: Api) -> list[str]:
    return [folder["path"] for folder in (await api.call("GET", FOLDERS))["folders"]]


async def fork(api: Api, session: str, workspace: Path) -> Any:
    return await api.call("POST", f"/api/agents/forks/sessions/{session}/fork", {"workspace": str(workspace)})


async def test_a_copy_is_no_way_around_the_question_of_trust(
    server: Server, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A48: a session is opened only in a folder that somebody has trusted; nothing is started otherwise."""
    hostile = place / "hostile"
    hostile.mkdir()
    (workspace / "link").symlink_to(hostile)
    async with talking(server, workspace, "forks") as talk:
        await trusting(talk, script(say("one")))
        session = agent_log.received("session/prompt")[-1]["params"]["sessionId"]
        starts = len(agent_log.starts())
        for folder, status in ((hostile, 409), (workspace / "link", 409), (place / "none", 422)):
            with pytest.raises(ApiError) as refused:
                await fork(talk.api, session, folder)
            assert refused.value.status == status
        assert len(agent_log.starts()) == starts
        assert not agent_log.received("session/fork")


async def test_trust_is_listed_and_taken_back(server: Server, workspace: Path, agent_log: AgentLog) -> None:
    """A48: in every awake chat and after a restart; a running agent continues."""
    async with talking(server, workspace, "forks") as one, talking(server, workspace, "forks") as two:
        assert await trusted(one.api) == []
        await trusting(one, script(say("one")))
        await two.run(script(say("two")))
        assert await trusted(one.api) == [str(workspace)]
        (folder,) = (await one.api.call("GET", FOLDERS))["folders"]
        assert abs(folder["at"] - one.rows()[-1].data["at"]) < 600
        await one.api.call("DELETE", f"{FOLDERS}?path={workspace}")
        assert await trusted(one.api) == []
        with pytest.raises(ApiError, match="404"):
            await one.api.call("DELETE", f"{FOLDERS}?path={workspace}")
        await one.run(script(say(" more")))
        await two.api.restart(two.id, reload=True)
        starts = len(agent_log.starts())
        waiting = await two.send(script(say(" again")))
        question = await two.question()
        assert question["title"].startswith("Do you trust")
        assert len(agent_log.starts()) == starts
        await two.answer(question, "trust")
        await two.ended(waiting)
        assert await trusted(one.api) == [str(workspace)]
        await one.api.call("DELETE", f"{FOLDERS}?path={workspace}")
        await server.restart()
        assert await trusted(one.api) == []
        await one.judge(text="one more")
        await two.judge(text="two again")
