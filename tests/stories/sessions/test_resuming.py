"""An assistant's turn that continues after the server has died, and one that is finally given up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.llm.script import slow_text
from tests.fakes.script import say, script, wait_file
from tests.kit.clients.assistant import assert_valid, assistant, call, chatting, delegate
from tests.kit.clients.driver import Talk
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

RESUMPTIONS = 3


@pytest.fixture
async def server(start_server: StartServer, llm: ScriptedLlm) -> ServerProcess:
    """A server whose assistant is the scripted model."""
    return await start_server(settings=assistant(llm))


def counted(talk: Talk) -> str:
    """The model's text, without superseded answers."""
    rows = talk.rows()
    superseded = [row.data["message_id"] for row in rows if row.kind == "superseded"]
    said = [row.data for row in rows if row.kind == "text-delta"]
    return "".join(delta["content"] for delta in said if delta["message_id"] not in superseded)


async def test_an_answer_that_was_cut_off_is_asked_for_again_three_times_and_then_left_to_the_person(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """C18, R46, R57: each unfinished answer is marked; after the fourth, Continue finds a valid history."""
    async with chatting(server, workspace) as talk:
        turn = await talk.send("slow 20 0.02")
        await talk.says("word3")
        await server.restart()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert counted(talk) == slow_text(20)
        turn = await talk.send("slow 400 0.1")
        for count in range(RESUMPTIONS + 1):
            await until(lambda count=count: len(llm.asked("slow 400")) == 1 + count, 30)  # type: ignore[misc]
            await server.restart()
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "interrupted"
        assert "Continue" in ended["error"]["hint"]
        assert len(llm.asked("slow 400")) == RESUMPTIONS + 1
        assert (await talk.run("Continue.\nsay Here I am"))["stop_reason"] == "end_turn"
        assert counted(talk).endswith("Here I am")
        assert_valid(llm.asked()[-1]["body"])
        await talk.judge()


async def test_a_tool_over_which_the_server_dies_again_and_again_is_given_up(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """C16, R47: two tools at once, each restart counts once; they are not run forever."""
    async with chatting(server, workspace) as talk:
        await server.restart(kill_point="after-tool:1")
        looks = [call("list_directory", path="."), f"also {call('glob_search', pattern='*')}"]
        turn = await talk.send("\n".join([*looks, "say never"]))
        for _ in range(RESUMPTIONS + 1):
            await server.wait_for_exit(30)
            server.spawn("after-tool:1")
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "interrupted"
        assert [result["is_error"] for result in talk.of_kind("tool-result")] == [True, True]
        assert len(llm.asked()) == 1
        assert server.is_running
        await server.restart()
        assert (await talk.run("say Something else"))["stop_reason"] == "end_turn"
        assert_valid(llm.asked()[-1]["body"])
        await talk.judge()


async def test_work_that_an_agent_goes_on_with_may_outlive_any_number_of_servers(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm, agent_log: AgentLog
) -> None:
    """V16, V21, R48: nothing was lost, so nothing is counted."""
    async with chatting(server, workspace) as talk:
        turn = await talk.send(f"{delegate(script(say('x'), wait_file('go'), say('y')))}\nsay end")
        await talk.sees("copilot-delta")
        for _ in range(RESUMPTIONS + 2):
            await server.restart()
        (workspace / "go").touch()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert len(agent_log.prompts()) == 1
        assert len(llm.asked()) == 2
        assert talk.of_kind("tool-result")[0]["display"] == "xy"
