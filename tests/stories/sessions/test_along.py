"""What goes along with a message, with a real server: killed while it reads, and with the assistant."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.assistant import assistant, chatting
from tests.kit.clients.driver import talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.waiting import until


async def test_a_server_killed_before_it_stored_what_it_read_reads_it_again(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """K1, R134, R136: the prompt is sent once, with the file as it is then."""
    server = await start_server(kill_point="after-gathering")
    (workspace / "a.txt").write_text("before")
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("ok")), attachments=[{"type": "file", "path": "a.txt"}])
        await until(lambda: not server.is_running, 30)
        (workspace / "a.txt").write_text("after")
        await server.start()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        (frame,) = agent_log.received("session/prompt")
        assert frame["params"]["prompt"][1]["resource"]["text"] == "after"
        await talk.judge()


async def test_the_assistant_gets_instructions_and_reads_a_skill(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """R190, R146, R152: the same instructions in every step of a turn; the skill only when it reads it."""
    server = await start_server(settings={**assistant(llm), "instructions": "Be brief."})
    (workspace / "AGENTS.md").write_text("Use tabs.")
    (workspace / "notes.txt").write_text("Buy milk.")
    (workspace / "copilot-skills").mkdir()
    (workspace / "copilot-skills" / "deploy.md").write_text("# Deploy\nHow to deploy.\nRun make ship.")
    async with chatting(server, workspace) as talk:
        note = {"type": "file", "path": "notes.txt"}
        turn = await talk.send('call read_skill {"name": "Deploy"}\nsay Done', attachments=[note])
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        first, second = (asked["body"]["messages"] for asked in llm.asked())
        assert first[0] == second[0]
        for words in ("Be brief.", "Use tabs.", "Skills in ", "- Deploy (deploy.md): How to deploy."):
            assert words in str(first[0]["content"])
        assert "Run make ship." not in str(first)
        assert "Buy milk." in str(first[1]["content"])
        assert "Run make ship." in str(second[-1]["content"])
        context = talk.of_kind("context")[0]
        assert context["instructions"] == ["personal", "AGENTS.md"]
        assert context["files"] == [{"path": "notes.txt", "how": "text", "bytes": 9}]
        (workspace / "notes.txt").write_text("Changed.")
        await talk.run("say Again")
        assert "Buy milk." in str(llm.asked()[-1]["body"]["messages"][1]["content"])
        await talk.judge()


async def test_own_instructions_for_the_assistant_are_shown_even_if_nothing_is_read(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """R190: the page shows everything that was sent along."""
    server = await start_server(settings={**assistant(llm), "instructions": "Be brief."})
    async with chatting(server, workspace) as talk:
        await talk.run("say Hello")
        assert "Be brief." in str(llm.asked()[0]["body"]["messages"][0]["content"])
        assert [one["instructions"] for one in talk.of_kind("context")] == [["personal"]]
        await talk.judge()
