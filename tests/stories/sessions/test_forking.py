"""A copy of an agent's session, and trust that is taken back.

What needs no processes: tests/runtime/chats/test_forking.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.client import Api
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess


@pytest.fixture
async def server(start_server: StartServer, place: Path, agent_log: AgentLog) -> ServerProcess:
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


async def fork(api: Api, session: str, workspace: Path) -> Any:
    return await api.call("POST", f"/api/agents/forks/sessions/{session}/fork", {"workspace": str(workspace)})


async def test_a_copy_goes_its_own_way(server: ServerProcess, workspace: Path, agent_log: AgentLog) -> None:
    """R157: it knows what was said before, and the original is not affected."""
    async with talking(server, workspace, "forks") as talk:
        await trusting(talk, script(say("one")))
        session = agent_log.received("session/prompt")[-1]["params"]["sessionId"]
        copy = (await fork(talk.api, session, workspace))["session_id"]
        assert copy != session
        chat = (await talk.api.create_chat(workspace, "forks", load=copy))["id"]
        async with talking(server, workspace, chat=chat) as other:
            await other.sees(lambda e: e.kind == "turn-ended" and "-1" in e.data["turn"])
            await other.run(script(say("two")))
            await other.judge(text="onetwo")
        await talk.run(script(say("three")))
        await talk.judge(text="onethree")
        ids = [frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")]
        assert ids == [session, copy, session]
