"""The assistant delegates work to each real agent in two named sessions, in one step and in parallel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.llm.script import slow_text
from tests.kit.clients.assistant import assert_valid, assistant, chatting, delegate, delegated_text
from tests.kit.clients.driver import Talk, ask
from tests.kit.peers.llm import ScriptedLlm, scripted_llm
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from tests.real_agents.day import PATIENCE
from tests.real_agents.provision import RealAgent
from tests.real_agents.sheet import Sheet

BOTH, AGAIN = "Please have both done", "And one of them again"
SESSIONS = "SELECT name, acp_session_id, process_id FROM acp_sessions WHERE chat_id = ? ORDER BY name"


@pytest.fixture
def scripts(place: Path) -> Path:
    """What the assistant's model does for a person's plain message."""
    return place / "scripts.json"


@pytest.fixture
def llm(place: Path, scripts: Path) -> Iterator[ScriptedLlm]:
    with scripted_llm(place / "llm.log", ["--bodies", "--scripts", str(scripts)]) as running:
        yield running


@pytest.fixture
async def server(start_server: StartServer, agent: RealAgent, llm: ScriptedLlm, place: Path) -> ServerProcess:
    environment = agent.environment(place / "home", llm)
    return await start_server(agent.tables, assistant(llm), environment)


async def test_two_named_sessions_side_by_side(
    server: ServerProcess, agent: RealAgent, llm: ScriptedLlm, scripts: Path, workspace: Path, sheet: Sheet
) -> None:
    """V12, R1, R25, R33, R53, R59: one process, two sessions, both working, each with its own memory."""
    go = workspace.parent / "go"
    both = [
        delegate(_held_by(go, 80), "even", agent.id),
        f"also {delegate(_held_by(go, 81), 'odd', agent.id)}",
        "say Both are done.",
    ]
    again = [delegate("say Still even.", "even", agent.id), "say So it is."]
    scripts.write_text(json.dumps({BOTH: "\n".join(both), AGAIN: "\n".join(again)}))
    async with chatting(server, workspace, agent.id) as talk:
        turn = await talk.send(BOTH)
        together = await _both_speak_at_once(talk, llm)
        go.touch()
        assert (await talk.ended(turn, PATIENCE))["stop_reason"] == "end_turn"
        assert talk.text().endswith("Both are done.")
        said = {
            done["session_name"]: delegated_text(talk.rows(), done["tool_call_id"])
            for done in talk.of_kind("copilot-done")
        }
        assert said == {"even": slow_text(80), "odd": slow_text(81)}
        assert (await talk.run(AGAIN, PATIENCE))["stop_reason"] == "end_turn"
        assert talk.of_kind("tool-result")[-1]["display"] == "Still even."
        [request] = llm.asked("say Still even.")
        assert any("slow 80" in heard for heard in request["heard"]), request["heard"]
        assert not any("slow 81" in heard for heard in request["heard"]), request["heard"]
        kept = ask(server.database, SESSIONS, talk.id)
        assert [name for name, _, _ in kept] == ["even", "odd"]
        assert len({session for _, session, _ in kept}) == 2
        assert len({process for _, _, process in kept}) == 1
        assert talk.processes() == ["ready"]
        for asked in llm.asked(BOTH) + llm.asked(AGAIN):
            assert_valid(asked["body"])
        await talk.judge()
    sheet.note("named", together, "" if together else "the second prompt is begun when the first has ended")


def _held_by(file: Path, words: int) -> str:
    return f"hold {file}\nslow {words} 0.01"


async def _both_speak_at_once(talk: Talk, llm: ScriptedLlm) -> bool:
    """Whether both send text while neither can end, and both have an open request to the provider."""

    def spoken() -> set[str]:
        return {delta["session_name"] for delta in talk.of_kind("copilot-delta")}

    try:
        await until(lambda: len(spoken()) == 2, PATIENCE)
    except AssertionError:
        return False
    return len([asked for asked in llm.asked("slow 8") if asked["ended"] is None]) == 2
