"""Tool servers that were changed behind a person's back are given to no agent before the person agrees.

What needs no processes: tests/runtime/consent/test_changed_tool_servers.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script, wait_file
from tests.kit.clients.assistant import assistant, chatting, delegate
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

HELLO = script(say("hello"))
NOTES = {"command": "notes", "args": ["--token", "canary-1"], "env": {"NOTES_KEY": "canary-2"}}
OPENING = ("session/new", "session/load", "session/resume")


@pytest.fixture
async def server(start_server: StartServer) -> ServerProcess:
    return await start_server(settings={"mcp_servers": {"notes": NOTES}})


def given(log: AgentLog) -> list[list[dict[str, Any]]]:
    """The tool servers of every session that an agent was asked to open."""
    return [frame["params"]["mcpServers"] for frame in log.received() if frame.get("method") in OPENING]


async def test_a_first_tool_server_is_asked_about_in_an_agent_that_runs(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm
) -> None:
    """A46: another session of the same process; the agent's other work continues if it is refused."""
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
