"""Tool servers that were changed behind a person's back are given to no agent before the person agrees.

What needs processes: tests/stories/consent/test_changed_tool_servers.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import say, script
from tests.kit.clients.client import Api
from tests.kit.clients.driver import ask, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

HELLO = script(say("hello"))
NOTES = {"command": "notes", "args": ["--token", "canary-1"], "env": {"NOTES_KEY": "canary-2"}}
OPENING = ("session/new", "session/load", "session/resume")


@pytest.fixture
async def server(start_server: StartServer) -> Server:
    return await start_server(settings={"mcp_servers": {"notes": NOTES}})


async def tamper(server: Server, api: Api, old: str, new: str) -> None:
    """Somebody who can write the settings file changes it, and the server notices."""
    text = server.config.read_text()
    assert old in text
    server.config.write_text(text.replace(old, new))
    await api.call("GET", "/api/settings")


def given(log: AgentLog) -> list[list[dict[str, Any]]]:
    """The tool servers of every session that an agent was asked to open."""
    return [frame["params"]["mcpServers"] for frame in log.received() if frame.get("method") in OPENING]


@pytest.mark.parametrize(
    ("old", "new", "shows"),
    [
        ('"command" = "notes"', '"command" = "evil"', "notes: evil"),
        ('"canary-2"', '"canary-3", "EVIL" = "1"', "EVIL"),
        ('mcp_servers = { "notes"', 'mcp_servers = { "more" = { "command" = "evil" }, "notes"', "more: evil"),
        ('"command" = "notes"', '"type" = "http", "url" = "https://evil.example"', "https://evil.example"),
    ],
)
async def test_tool_servers_that_were_changed_in_the_file_are_asked_about(
    server: Server, workspace: Path, agent_log: AgentLog, old: str, new: str, shows: str
) -> None:
    """A46: an agent runs them; the question survives a killed server and shows no secret."""
    async with talking(server, workspace) as talk, talking(server, workspace) as other:
        await talk.run(HELLO)
        await tamper(server, talk.api, old, new)
        await talk.run(HELLO)  # an open session keeps its tool servers
        assert talk.of_kind("question") == []
        await talk.api.restart(talk.id, reload=True)
        question = await talk.question()
        assert question["title"] == "Use the changed MCP servers with scripted?"
        assert shows in question["detail"]["text"]
        assert shows not in question["detail"]["before"]
        assert "canary" not in str(question)
        await server.restart()
        await talk.answer(question, "not-now")
        await until(lambda: bool(talk.notices("not-agreed")), 10)
        turn = await talk.send(HELLO)
        again = await talk.question(2)
        waiting = await other.send(HELLO)
        await other.question()
        assert len(given(agent_log)) == 1
        await talk.answer(again, "start")
        await talk.ended(turn)
        await other.ended(waiting)
        assert [answer["by"] for answer in other.of_kind("answer")] == ["rule"]
        assert len(given(agent_log)) == 3
        await talk.api.restart(talk.id, reload=True)
        await talk.run(HELLO)
        assert len(talk.of_kind("question")) == 2
        assert "canary" not in str(ask(server.database, "SELECT * FROM agreed_commands"))
        await talk.judge(text="hello" * 4)
