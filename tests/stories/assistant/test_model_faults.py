"""Replies that no model should send, and people who stop a model at any moment."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script, wait_file
from tests.kit.clients.assistant import assert_valid, assistant, call, chatting, delegate
from tests.kit.clients.driver import Talk
from tests.kit.machine.processes import children
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.peers.raw_llm import HELD, RawLlm, answer, called, chunk, raw_llm, says, stream
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

NO_CHOICES = {**chunk(), "choices": []}
NULL_DELTA = {**chunk(), "choices": [{"index": 0, "delta": None, "finish_reason": None}]}
OVERLOADED = {"error": {"message": "overloaded", "code": 503}}
BLANK = '{"prompt": "x", "session_name": "   "}'
TOOLS_AT_ONCE = 8


@pytest.fixture
async def model() -> AsyncIterator[RawLlm]:
    async with raw_llm() as running:
        yield running


@pytest.fixture
async def server(start_server: StartServer, model: RawLlm) -> ServerProcess:
    """A server whose model replies with given bytes."""
    return await start_server(settings=model.settings())


async def test_what_is_no_answer_ends_the_turn_and_the_chat_goes_on(
    server: ServerProcess, workspace: Path, model: RawLlm
) -> None:
    """R38, R69, R164: a readable error, or a line that says what was missing."""
    failing = {
        "nothing at all": (stream(), "response we could not read"),
        "no body": (answer("200 OK", ""), "response we could not read"),
        "not a stream": (answer("200 OK", '{"choices": []}'), "response we could not read"),
        "no JSON": (stream("data: {not json}\n\n"), "rejected the request"),
        "no such model": (answer("404 Not Found", '{"error": {"message": "gone"}}'), "has no model"),
        "plain words": (answer("400 Bad Request", "go away"), "go away"),
    }
    empty = {
        "no choices": stream(NO_CHOICES),
        "no delta": stream(NULL_DELTA),
        "a call that is none": stream(chunk("tool_calls")),
        "a call without a name": stream(called(None, "{}"), chunk("tool_calls")),
    }
    async with chatting(server, workspace) as talk:
        for name, (reply, words) in failing.items():
            model.will(reply)
            ended = await talk.run(name)
            assert (ended["stop_reason"], words in ended["error"]["message"]) == ("error", True), ended
            assert ended["error"]["hint"]
        for name, reply in empty.items():
            model.will(reply)
            assert (await talk.run(name))["stop_reason"] == "end_turn"
        assert len(talk.notices("empty-answer")) == len(empty)
        model.will(stream(chunk("content_filter")))
        assert (await talk.run("filtered"))["stop_reason"] == "refusal"
        model.will(stream(OVERLOADED), says("fine"))
        assert (await talk.run("overloaded at first"))["stop_reason"] == "end_turn"
        assert talk.text() == "fine"
        assert_valid(model.asked[-1])
        assert "Traceback" not in server.stderr
        await talk.judge()


async def test_an_answer_whose_end_never_came_is_told(
    server: ServerProcess, workspace: Path, model: RawLlm
) -> None:
    """R38: the connection just closes. The text stays, with a notice; an incomplete call is not run."""
    (workspace / "a").write_text("not to be read")
    async with chatting(server, workspace) as talk:
        model.will(stream(chunk(content="Half an ans"), end=""))
        assert (await talk.run("go"))["stop_reason"] == "end_turn"
        assert len(talk.notices("unfinished-answer")) == 1
        model.will(stream(called("read_file", '{"path": "a'), end=""), says("once more"))
        assert (await talk.run("go"))["stop_reason"] == "end_turn"
        (result,) = talk.of_kind("tool-result")
        assert (result["is_error"], "not valid JSON" in result["content"]) == (True, True)
        assert len(talk.notices("unfinished-answer")) == 1
        assert talk.text() == "Half an ansonce more"
        assert_valid(model.asked[-1])


async def test_calls_that_lack_something_are_run_or_go_back_to_the_model(
    server: ServerProcess, workspace: Path, model: RawLlm, agent_log: AgentLog
) -> None:
    """P3: calls without an id or arguments are accepted; a session must have a name."""
    replies = {
        "no id": (stream(called("list_directory", "{}", None), chunk("tool_calls")), False),
        "no arguments": (stream(called("list_directory", None), chunk("tool_calls")), False),
        "words after it": (
            stream(called("list_directory", "{}"), chunk(content="."), chunk("tool_calls")),
            False,
        ),
        "an empty name": (stream(called("", "{}"), chunk("tool_calls")), True),
        "a blank session": (stream(called("copilot_agent", BLANK), chunk("tool_calls")), True),
        "cut for length": (stream(called("read_file", '{"path": "a'), chunk("length")), True),
    }
    async with chatting(server, workspace) as talk:
        for name, (reply, _) in replies.items():
            model.will(reply, says("."))
            assert (await talk.run(name))["stop_reason"] == "end_turn"
            assert_valid(model.asked[-1])
        assert [r["is_error"] for r in talk.of_kind("tool-result")] == [bad for _, bad in replies.values()]
        assert agent_log.starts() == []


async def test_a_model_is_stopped_at_any_moment(
    server: ServerProcess, workspace: Path, model: RawLlm
) -> None:
    """R168, R47: before its first word, within one, within a call, and while waiting for a retry."""
    begun = stream(end="")
    held = [begun, stream(chunk(content="We"), end=""), stream(called("read_file", '{"pa'), end="")]
    async with chatting(server, workspace) as talk:
        for reply in held:
            model.will(reply + HELD)
            turn = await talk.send("go")
            await until(lambda: model.open == 1, 30)
            await talk.cancel()
            assert (await talk.ended(turn, 5))["stop_reason"] == "cancelled"
            await until(lambda: model.open == 0, 5)
        asked = len(model.asked)
        model.will(answer("429 Too Many", '{"error": {"message": "slow"}}', "retry-after: 15"))
        turn = await talk.send("go")
        await until(lambda: len(model.asked) == asked + 1, 30)
        await talk.cancel()
        assert (await talk.ended(turn, 5))["stop_reason"] == "cancelled"
        model.will(answer("429 Too Many", '{"error": {"message": "slow"}}', "retry-after: 1"), says("Well"))
        assert (await talk.run("go"))["stop_reason"] == "end_turn"
        assert_valid(model.asked[-1])
        assert not talk.of_kind("tool-call")
        await talk.judge()


async def test_a_chat_can_be_deleted_while_its_model_speaks(
    server: ServerProcess, workspace: Path, model: RawLlm
) -> None:
    """C4: the connection is closed, and nothing is reported."""
    model.will(stream(chunk(content="We"), end="") + HELD)
    async with chatting(server, workspace) as talk:
        await talk.send("go")
        await until(lambda: model.open == 1, 30)
        await talk.api.delete_chat(talk.id)
        await until(lambda: model.open == 0, 5)
        assert (await talk.api.chats())["chats"] == []
    assert "Traceback" not in server.stderr
    assert "Warning" not in server.stderr


async def test_a_turn_is_stopped_while_it_waits_for_a_person_or_an_agent(
    start_server: StartServer, workspace: Path, place: Path, llm: ScriptedLlm, agent_log: AgentLog
) -> None:
    """R47, R168: waiting for consent, for an agent to start, for two busy sessions with more work queued."""
    server = await start_server(settings=assistant(llm))
    async with chatting(server, workspace) as talk:
        turn = await talk.send(f"{call('read_file_external', path=str(place / 'x'))}\nsay never")
        await talk.question()
        await _is_stopped(talk, turn)
        turn = await talk.send(f"{delegate('x', 'A', 'scripted-hang-init')}\nsay never")
        await talk.sees(lambda event: event.kind == "agent-status" and event.data["status"] == "starting")
        await _is_stopped(talk, turn)
        works = [delegate(script(say(f"{n}"), wait_file("never")), "AB"[n % 2]) for n in range(5)]
        turn = await talk.send("\nalso ".join(works) + "\nsay never")
        await until(lambda: len(agent_log.prompts()) == 2, 30)
        await _is_stopped(talk, turn)
        assert len(agent_log.prompts()) == 2
        assert len(talk.of_kind("tool-result")) == 7
        assert {result["is_error"] for result in talk.of_kind("tool-result")} == {True}
        await talk.run(f"{delegate(script(say('free')), 'A')}\nsay fine")
        assert_valid(llm.asked()[-1]["body"])
        assert talk.text() == "fine"
        await talk.judge()


async def _is_stopped(talk: Talk, turn: str) -> None:
    await talk.cancel()
    assert (await talk.ended(turn, 15))["stop_reason"] == "cancelled"


async def test_many_tools_are_run_a_few_at_a_time_and_huge_files_do_no_harm(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """P3: a hundred calls do not start a hundred programs; the model gets only part of a huge file."""
    (workspace / "wide.txt").write_text("x" * 20_000_000)
    (workspace / "long.txt").write_text("needle\n" * 1_000_000)
    server = await start_server(settings=assistant(llm))
    lines = [call("glob_search", pattern="*.txt")] * 100
    async with chatting(server, workspace) as talk:
        turn = await talk.send("\nalso ".join(lines) + "\nsay many")
        running: list[int] = []

        def is_over() -> bool:
            running.append(len(children(server.pid)))
            return bool(talk.of_kind("turn-ended"))

        await until(is_over, 60)
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert 0 < max(running) <= TOOLS_AT_ONCE
        looks = [call("read_file", path="wide.txt"), call("read_file", path="long.txt")]
        await talk.run("\n".join([*looks, call("grep_search", pattern="needle"), "say huge"]))
        wide, long, found = talk.of_kind("tool-result")[-3:]
        assert max(len(wide["content"]), len(long["content"])) < 100_000
        assert "4 MB" in found["content"]
        assert talk.text() == "manyhuge"
