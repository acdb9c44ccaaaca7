"""A named session that its agent has lost: what the next one is told, and what the person sees of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import diff, say, script, tool, tool_update
from tests.kit.clients.assistant import assistant, chatting, delegate
from tests.kit.clients.driver import lose_agent
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess


@pytest.fixture
async def server(start_server: StartServer, llm: ScriptedLlm) -> ServerProcess:
    """A server whose assistant is the scripted model."""
    return await start_server(settings=assistant(llm))


async def test_a_new_session_for_delegated_work_is_told_what_the_lost_one_did(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R66, R67, R189, C21: of this name only, without asking, once; the person sees what was sent."""
    edits = (tool("e1", "edit", "Edit it"), diff("e1", "src/app.py"), tool_update("e1", "completed"))
    work = script(*edits, say("fixed the parser"))
    other = script(say("wrote the manual"))
    forgetful = "scripted-caps-off"
    async with chatting(server, workspace) as talk:
        await talk.run(f"{delegate(work, 'A', forgetful)}\n{delegate(other, 'B', forgetful)}\nsay .")
        await lose_agent(talk, agent_log)
        await talk.run(f"{delegate(script(say('two')), 'A', forgetful)}\nsay .")
        told, asked = agent_log.received("session/prompt")[-1]["params"]["prompt"]
        assert asked["text"] == script(say("two"))
        for known in (work, f"- {workspace}/src/app.py", "fixed the parser"):
            assert known in told["text"]
        assert "manual" not in told["text"]
        (notice,) = talk.notices("context-sent")
        assert notice["detail"] in told["text"]
        assert notice["tool_call_id"] == talk.of_kind("tool-call")[-1]["id"]
        assert talk.of_kind("question") == []
        await talk.run(f"{delegate(script(say('three')), 'A', forgetful)}\nsay .")
        assert len(agent_log.received("session/prompt")[-1]["params"]["prompt"]) == 1
        await talk.judge()
