"""Tool servers that were changed behind a person's back are given to no agent before the person agrees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script, wait_file
from tests.faults.driver import ask, talking
from tests.kit.agent_log import AgentLog
from tests.kit.assistant import assistant, chatting, delegate
from tests.kit.client import Api
from tests.kit.llm import ScriptedLlm
from tests.kit.server import ServerProcess
from tests.kit.waiting import until

HELLO = script(say("hello"))
NOTES = {"command": "notes", "args": ["--token", "canary-1"], "env": {"NOTES_KEY": "canary-2"}}
OPENING = ("session/new", "session/load", "session/resume")


@pytest.fixture
async def server(start_server: StartServer) -> ServerProcess:
    return await start_server(settings={"mcp_servers": {"notes": NOTES}})


async def tamper(server: ServerProcess, api: Api, old: str, new: str) -> None:
    """Somebody who can write the settings file changes it, and the server notices."""
    text = server.config.read_text()
    assert old in text
    server.config.write_text(text.replace(old, new))
    await api.call("GET", "/api/settings")


def given(log: AgentLog) -> list[list[dict[str, Any]]]:
    """The tool servers of every session that an agent was to open."""
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
    server: ServerProcess, workspace: Path, agent_log: AgentLog, old: str, new: str, shows: str
) -> None:
    """A46: an agent runs them; the question survives a killed server and shows no secret."""
    async with talking(server, workspace) as talk, talking(server, workspace) as other:
        await talk.run(HELLO)
        await tamper(server, talk.api, old, new)
        await talk.run(HELLO)  # the session that is open has the ones it was opened with
        assert talk.of_kind("question") == []
        await talk.api.restart(talk.id, reload=True)
        question = await talk.question()
        assert question["title"] == "Give scripted other tool servers than before?"
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


async def test_a_first_tool_server_is_asked_about_in_an_agent_that_runs(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm
) -> None:
    """A46: a further session of the same process; what the agent does meanwhile goes on if it is refused."""
    server = await start_server(settings=assistant(llm))
    async with chatting(server, workspace) as talk:
        await talk.run(f"{delegate(HELLO, 'A')}\nsay end")
        server.config.write_text(
            f'mcp_servers = {{ more = {{ command = "evil" }} }}\n{server.config.read_text()}'
        )
        await talk.api.call("GET", "/api/settings")
        lines = [
            delegate(script(wait_file("go"), say("again")), "A"),
            f"also {delegate(HELLO, 'B')}",
            "say end",
        ]
        turn = await talk.send("\n".join(lines))
        question = await talk.question()
        assert question["detail"]["before"] == "none"
        assert len(given(agent_log)) == 1
        await until(lambda: len(agent_log.prompts()) == 2, 30)
        await talk.answer(question, "not-now")
        (workspace / "go").touch()
        await talk.ended(turn)
        done = [(body["session_name"], body["stop_reason"]) for body in talk.of_kind("copilot-done")]
        assert sorted(done) == [("A", "end_turn"), ("A", "end_turn"), ("B", "cancelled")]
        assert given(agent_log) == [[]]
        assert len(agent_log.starts()) == 1
