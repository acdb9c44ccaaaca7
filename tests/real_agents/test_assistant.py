"""The assistant delegates work to the real GitHub Copilot CLI; both use one scripted model."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.kit.clients.assistant import assert_valid, assistant, chatting, delegate, delegated_text
from tests.kit.clients.driver import Talk
from tests.kit.machine.processes import children, marked
from tests.kit.peers.llm import ScriptedLlm, scripted_llm
from tests.real_agents.day import PATIENCE
from tests.real_agents.provision import AGENTS, RealAgent

ORDER = ["tool-call", "copilot-delta", "copilot-done", "tool-result"]


@pytest.fixture
def scripts(place: Path) -> Path:
    """What the model does for a person's plain message."""
    return place / "scripts.json"


@pytest.fixture
def llm(place: Path, scripts: Path) -> Iterator[ScriptedLlm]:
    with scripted_llm(place / "llm.log", ["--bodies", "--scripts", str(scripts)]) as running:
        yield running


@pytest.mark.parametrize("agent", AGENTS[:1], ids=["copilot"], indirect=True)
async def test_the_assistant_has_copilot_change_a_file_in_two_named_sessions(
    start_server: StartServer,
    agent: RealAgent,
    llm: ScriptedLlm,
    scripts: Path,
    place: Path,
    workspace: Path,
    mark: str,
) -> None:
    """V1–V12, V15, V16, R20–R37, R53, R54, R79: one process, A, then B, then A again, which remembers."""
    file = workspace / "greeting.txt"
    file.write_text("hello world\n")
    edit = f"edit {file} | hello world | hello pilot\nsay I changed the greeting."
    lines = [
        delegate(edit, "greeting"),
        delegate("say The word is plover.", "other"),
        delegate("say Still the greeting.", "greeting"),
        "say All is done.",
    ]
    book = {"Please greet the pilot": "\n".join(lines)}
    book["And once more"] = f"{delegate('say As I said before.', 'other')}\nsay It remembers."
    scripts.write_text(json.dumps(book))
    server = await start_server(settings=assistant(llm), env=agent.environment(place / "home", llm))
    async with chatting(server, workspace, agent.id) as talk:
        ended = await talk.run("Please greet the pilot", PATIENCE)
        assert ended["stop_reason"] == "end_turn", ended
        assert file.read_text() == "hello pilot\n"
        assert talk.text().endswith("All is done.")
        calls = [event for event in talk.of_kind("tool-call") if event.get("name") == "copilot_agent"]
        results = {event["id"]: event for event in talk.of_kind("tool-result")}
        said = ["I changed the greeting.", "The word is plover.", "Still the greeting."]
        for call, words in zip(calls, said, strict=True):
            _in_order(talk, call["id"])
            assert delegated_text(talk.viewer.events, call["id"]).endswith(words)
            assert results[call["id"]]["display"] == delegated_text(talk.viewer.events, call["id"])
            assert words in results[call["id"]]["content"]
        assert [done["session_name"] for done in talk.of_kind("copilot-done")] == [
            "greeting",
            "other",
            "greeting",
        ]
        assert str(file) in results[calls[0]["id"]]["content"]
        assert {answer["by"] for answer in talk.of_kind("answer")} <= {"auto"}
        assert talk.processes() == ["ready"]
        await _it_remembers(llm, "Still the greeting.", heard="hello pilot", not_heard="plover")
        await server.kill()
        _kill_agents(mark)
        await server.start()
        blocks = (await talk.api.blocks(talk.id))["blocks"]
        kept = [b["status"] for b in blocks if b["kind"] == "tool" and b.get("name") == "copilot_agent"]
        assert kept == ["completed"] * 3
        assert (await talk.run("And once more", PATIENCE))["stop_reason"] == "end_turn"
        assert len(talk.notices("restored")) == 2
        await _it_remembers(llm, "As I said before.", heard="plover", not_heard="hello pilot")
        for asked in llm.asked("greet the pilot") + llm.asked("once more"):
            assert_valid(asked["body"])
        await talk.judge()


def _in_order(talk: Talk, call: str) -> None:
    mine = [row.kind for row in talk.rows() if call in (row.data.get("id"), row.data.get("tool_call_id"))]
    assert [kind for kind in dict.fromkeys(mine) if kind in ORDER] == ORDER


async def _it_remembers(llm: ScriptedLlm, words: str, heard: str, not_heard: str) -> None:
    """What Copilot's own model was sent: the session's earlier turns, and nothing from the other session."""
    sent = json.dumps(llm.asked(f"say {words}")[-1]["body"]["messages"])
    assert heard in sent
    assert not_heard not in sent


def _kill_agents(mark: str) -> None:
    for found in marked(mark):
        if "keeper" in found.command and "program" in found.command:
            below = children(found.pid)
            os.kill(found.pid, signal.SIGKILL)
            for child in below:
                os.kill(child.pid, signal.SIGKILL)
