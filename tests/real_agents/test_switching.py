"""One chat goes from Claude Code to the Copilot CLI and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.kit.clients.driver import ask, talking
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess
from tests.real_agents.day import run
from tests.real_agents.provision import AGENTS, RealAgent

COPILOT, CLAUDE = AGENTS[:2]


@pytest.fixture
async def server(start_server: StartServer, agent: RealAgent, llm: ScriptedLlm, place: Path) -> ServerProcess:
    """A server on which both can be used."""
    home = place / "home"
    return await start_server(env={**agent.environment(home, llm), **CLAUDE.provide(home, llm)})


@pytest.mark.parametrize("agent", [COPILOT], indirect=True, ids=["copilot"])
async def test_copilot_takes_over_from_claude_code_and_gives_back(
    server: ServerProcess, llm: ScriptedLlm, workspace: Path
) -> None:
    """R131, R193: each one's model hears what it has missed, once; both keep their session."""
    async with talking(server, workspace, CLAUDE.id) as talk:
        first = await run(talk, "say The word is heliotrope.")
        assert first.text == "The word is heliotrope.", first.whole()
        await talk.api.change_chat(talk.id, agent=COPILOT.id)
        second = await run(talk, "say Copilot took over.")
        assert second.text == "Copilot took over.", second.whole()
        heard = "\n".join(llm.asked("say Copilot took over.")[-1]["heard"])
        assert heard.count("The word is heliotrope.") >= 1
        assert heard.count("[End of the handover") == 1
        await talk.api.change_chat(talk.id, agent=CLAUDE.id)
        third = await run(talk, "say Claude is back.")
        assert third.text == "Claude is back.", third.whole()
        heard = "\n".join(llm.asked("say Claude is back.")[-1]["heard"])
        assert "Copilot took over." in heard
        assert heard.count("[End of the handover") == 1
        sessions = ask(server.database, "SELECT agent, prompts FROM acp_sessions WHERE chat_id = ?", talk.id)
        assert sorted(sessions) == [(CLAUDE.id, 2), (COPILOT.id, 1)]
        assert len(talk.notices("switched")) == 2
        assert talk.notices("session-not-restored") == []
        await talk.judge()
