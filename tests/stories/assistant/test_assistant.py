"""The assistant: a model that answers, calls tools, and delegates work to agents."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import anyio
import pytest

from tests.conftest import StartServer
from tests.fakes.script import ALLOW, ask, chunks, die, say, script, sleep, wait_file
from tests.kit.clients.assistant import assistant, chatting, delegate
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until


@pytest.fixture
async def server(start_server: StartServer, llm: ScriptedLlm) -> ServerProcess:
    """A server whose assistant is the scripted model."""
    return await start_server(settings=assistant(llm))


def kinds(talk: Talk) -> list[str]:
    wanted = ("tool-call", "copilot-delta", "copilot-done", "tool-result", "text-delta", "turn-ended")
    seen = [row.kind for row in talk.rows() if row.kind in wanted]
    return [kind for place, kind in enumerate(seen) if place == 0 or seen[place - 1] != kind]


async def test_the_model_answers_and_no_agent_is_started(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm
) -> None:
    """R2, R164, R166, V31: its text is streamed as it arrives."""
    async with chatting(server, workspace) as talk:
        ended = await talk.run("say Hello there, friend")
        assert ended["stop_reason"] == "end_turn"
        assert talk.text() == "Hello there, friend"
        assert not agent_log.path.exists()
        tools = llm.asked()[0]["body"]["tools"]
        names = [tool["function"]["name"] for tool in tools]
        assert names[0] == "copilot_agent"
        schema = tools[0]["function"]["parameters"]
        assert sorted(schema["required"]) == ["prompt", "session_name"]


async def test_work_is_given_to_an_agent_and_its_summary_goes_back(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm
) -> None:
    """V1–V4, V7, R20–R25, R29–R32, R34–R37, R186: in order, with the session's name; all of it is stored."""
    async with chatting(server, workspace) as talk:
        work = script(say("On it. "), say("All done."))
        await talk.run(f"{delegate(work, 'auth-bug')}\nsay The agent has fixed it")
        assert kinds(talk) == [
            "tool-call", "copilot-delta", "copilot-done", "tool-result", "text-delta", "turn-ended",
        ]  # fmt: skip
        call = talk.of_kind("tool-call")[0]
        deltas = talk.of_kind("copilot-delta")
        done, result = talk.of_kind("copilot-done")[0], talk.of_kind("tool-result")[0]
        assert {delta["tool_call_id"] for delta in deltas} == {call["id"]} == {done["tool_call_id"]}
        assert {delta["session_name"] for delta in deltas} == {"auth-bug"}
        assert "".join(delta["content"] for delta in deltas) == "On it. All done." == result["display"]
        assert done["summary"] == result["content"]
        assert done["stop_reason"] == "end_turn"
        assert result["is_error"] is False
        assert agent_log.prompts() == [work]
        results = [m for m in llm.asked()[-1]["body"]["messages"] if m["role"] == "tool"]
        assert [m["content"] for m in results] == [result["content"]]
        assert "".join(d["content"] for d in talk.of_kind("text-delta")).endswith("has fixed it")


async def test_names_are_sessions_and_one_process_has_them_all(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """V9–V12, R1, R24–R28: A, then B, then A again in its own session."""
    async with chatting(server, workspace) as talk:
        lines = [
            delegate(script(say("a1")), "A"),
            delegate(script(say("b1")), "B"),
            delegate(script(say("a2")), "A"),
        ]
        await talk.run("\n".join([*lines, "say done"]))
        ids = [frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")]
        assert ids[0] == ids[2] != ids[1]
        assert len(agent_log.received("session/new")) == 2
        assert len(agent_log.starts()) == 1


async def test_two_names_work_side_by_side_and_one_name_waits_its_turn(
    server: ServerProcess, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """R33, R52: parallel calls of one answer really run in parallel; their texts stay separate."""
    gate = place / "gate"
    async with chatting(server, workspace) as talk:
        first, second = script(say("one"), wait_file(gate), say("!")), script(say("two"))
        third = script(say("three"))
        lines = [
            delegate(first, "A"),
            f"also {delegate(second, 'B')}",
            f"also {delegate(third, 'A')}",
            "say end",
        ]
        turn = await talk.send("\n".join(lines))
        await until(lambda: len(agent_log.prompts()) == 2, 30)
        await until(lambda: len(talk.of_kind("copilot-done")) == 1, 30)
        assert agent_log.prompts() == [first, second]
        gate.touch()
        await talk.ended(turn)
        texts = {r["id"]: r["display"] for r in talk.of_kind("tool-result")}
        assert list(texts.values()) in (["two", "one!", "three"], ["two", "one!", "three"])


async def test_its_own_tools_read_the_workspace(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """P3: errors are returned to the model too."""
    (workspace / "a.txt").write_text("alpha\n")
    async with chatting(server, workspace) as talk:
        lines = ['call read_file {"path": "a.txt"}', 'call read_file {"path": "nowhere"}', "say end"]
        await talk.run("\n".join(lines))
        good, bad = talk.of_kind("tool-result")
        assert "alpha" in good["content"]
        assert good["is_error"] is False
        assert bad["is_error"] is True


async def test_a_file_outside_is_read_only_with_consent(
    server: ServerProcess, workspace: Path, place: Path
) -> None:
    """P3: allowed once, rejected once."""
    secret = place / "outside.txt"
    secret.write_text("hidden")
    call = f"call read_file_external {json.dumps({'path': str(secret)})}"
    async with chatting(server, workspace) as talk:
        turn = await talk.send(f"{call}\nsay end")
        question = await talk.question()
        assert question["detail"]["path"] == str(secret)
        assert str(secret) in question["title"]
        await talk.answer(question, "reject")
        await talk.ended(turn)
        assert talk.of_kind("tool-result")[0]["is_error"] is True
        turn = await talk.send(f"{call}\nsay end")
        await server.restart()
        await talk.answer(await talk.question(2), "allow")
        await talk.ended(turn)
        assert "hidden" in talk.of_kind("tool-result")[1]["content"]


async def test_a_file_outside_that_cannot_be_named_is_not_asked_about(
    server: ServerProcess, workspace: Path, place: Path, llm: ScriptedLlm
) -> None:
    """P3: bytes that are not text, and characters that end a name; the model is told, once."""
    odd = os.fsencode(place) + b"/odd-\xff.txt"
    with open(odd, "w") as file:
        file.write("hidden")
    os.symlink(odd, os.fsencode(place) + b"/link.txt")
    paths = [str(place / "link.txt"), "/etc/pass\0wd"]
    calls = [f"call read_file_external {json.dumps({'path': path})}" for path in paths]
    async with chatting(server, workspace) as talk:
        assert (await talk.run("\n".join([*calls, "say end"])))["stop_reason"] == "end_turn"
        assert ["is not valid text" in result["content"] for result in talk.of_kind("tool-result")] == [
            True,
            True,
        ]
        assert talk.of_kind("question") == []
        assert len(llm.asked()) == 3


async def test_a_file_outside_is_not_read_when_nobody_answers_in_time(
    start_server: StartServer, workspace: Path, place: Path, llm: ScriptedLlm
) -> None:
    """P3: declined after a time limit, also across a restart; the model continues. Agents' questions wait."""
    secret = place / "outside.txt"
    secret.write_text("hidden")
    server = await start_server(settings=assistant(llm), env={"VOXPILOT_CONFIRM_TIMEOUT": "2s"})
    async with chatting(server, workspace) as talk:
        assert (await talk.api.settings())["values"]["confirm_timeout"] == 2
        await talk.api.change_chat(talk.id, permissions="ask")
        asks = delegate(script(ask("e", "May I edit?")))
        outside = f"call read_file_external {json.dumps({'path': str(secret)})}"
        turn = await talk.send(f"{outside}\nalso {asks}\nsay Then not")
        await until(lambda: {q["type"] for q in talk.of_kind("question")} == {"confirm", "permission"}, 30)
        await server.restart()
        answer = await talk.sees("answer")
        questions = {question["type"]: question for question in talk.of_kind("question")}
        assert answer["question_id"] == questions["confirm"]["id"]
        assert (answer["by"], answer["outcome"]) == ("expired", "reject_once")
        with pytest.raises(ApiError, match="time limit"):
            await talk.answer(questions["confirm"], "allow")
        await talk.answer(questions["permission"], ALLOW)
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        told = [m["content"] for m in llm.asked()[-1]["body"]["messages"] if m["role"] == "tool"]
        assert "Nobody answered in time" in told[0]
        assert "hidden" not in json.dumps([row.data for row in talk.rows()])
        assert talk.text() == "Then not"


async def test_a_provider_that_fails_is_told(server: ServerProcess, workspace: Path) -> None:
    """R69: with a hint; the next message works."""
    async with chatting(server, workspace) as talk:
        ended = await talk.run("fail 401")
        assert ended["stop_reason"] == "error"
        assert "key" in ended["error"]["message"]
        assert (await talk.run("say fine"))["stop_reason"] == "end_turn"


async def test_the_turn_stops_wherever_it_is(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm
) -> None:
    """R47: while the model answers, and while an agent works; the next request is valid."""
    async with chatting(server, workspace) as talk:
        turn = await talk.send("slow 500 0.05")
        await talk.says("word3")
        await talk.cancel()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        turn = await talk.send(f"{delegate(script(say('x'), sleep(60)))}\nsay end")
        await talk.sees("copilot-delta")
        await talk.cancel()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert talk.of_kind("tool-result")[0]["is_error"] is True
        await talk.run("say again")
        sent = llm.asked()[-1]["body"]["messages"]
        calls = [c["id"] for m in sent for c in m.get("tool_calls") or ()]
        assert calls == [m["tool_call_id"] for m in sent if m["role"] == "tool"]


async def test_too_many_steps_end_the_turn(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """P3: the cap is a setting."""
    server = await start_server(settings={**assistant(llm), "max_agent_iterations": 3})
    async with chatting(server, workspace) as talk:
        lines = ['call list_directory {"path": "."}'] * 6
        ended = await talk.run("\n".join([*lines, "say end"]))
        assert ended["stop_reason"] == "max_turn_requests"
        assert len(llm.asked()) == 3


async def test_an_agent_that_dies_ends_the_turn_until_the_person_goes_on(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm
) -> None:
    """C16, R47, R57: the model is not asked again; the next message finds a valid history."""
    async with chatting(server, workspace) as talk:
        ended = await talk.run(f"{delegate(script(say('half'), die()))}\nsay never")
        assert ended["stop_reason"] == "interrupted"
        assert len(llm.asked()) == 1
        assert talk.of_kind("tool-result")[0]["is_error"] is True
        assert talk.of_kind("tool-result")[0]["display"] == "half"
        await talk.run("say Continued")
        assert talk.text().endswith("Continued")


async def test_the_server_dies_while_an_agent_works(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm
) -> None:
    """V16, V18, V21, R48, C2: the delegation is re-attached; one prompt, one step of the model each."""
    async with chatting(server, workspace) as talk:
        work = script(chunks(200, 5))
        turn = await talk.send(f"{delegate(work)}\nsay end")
        await until(lambda: len(talk.of_kind("copilot-delta")) > 3, 30)
        await server.restart()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert len(agent_log.prompts()) == 1
        assert len(llm.asked()) == 2
        result = talk.of_kind("tool-result")[0]
        assert "".join(d["content"] for d in talk.of_kind("copilot-delta")) == result["display"]


async def test_agent_mode_asks_no_model(server: ServerProcess, workspace: Path, llm: ScriptedLlm) -> None:
    """R165."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("hello")))
        assert llm.asked() == []


async def test_without_any_model_the_demo_model_delegates(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """R20, R23: a first run shows everything."""
    server = await start_server()
    async with chatting(server, workspace) as talk:
        ended = await talk.run("Please fix the bug in the parser")
        assert ended["stop_reason"] == "end_turn"
        assert talk.of_kind("tool-call")[0]["name"] == "copilot_agent"
        assert talk.of_kind("tool-result")
        assert talk.text()


async def test_the_assistant_is_asked_from_the_terminal(server: ServerProcess, workspace: Path) -> None:
    """`voxpilot run --assistant`: only its answer goes to standard output."""
    prompt = f"{delegate(script(say('inside')))}\nsay The answer"
    command = [sys.executable, "-m", "voxpilot", "run", "--assistant", "--agent", "scripted", prompt]
    result = await anyio.run_process(command, cwd=workspace, env=server.environment_of_others(), check=False)
    assert result.stdout.decode() == "The answer"
    assert "scripted [work] is done" in result.stderr.decode()
    assert result.returncode == 0
