"""Mistakes of models, missing settings, and changes while the assistant works."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script, stop, wait_file
from tests.kit.clients.assistant import assert_valid, assistant, call, chatting, delegate
from tests.kit.clients.client import Api
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm, scripted_llm
from tests.kit.servers.config import MARK, scripted, write_config
from tests.kit.servers.own_agents import mine, tamper
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

WIRES = ("openai", "anthropic")
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@pytest.fixture
async def server(start_server: StartServer, llm: ScriptedLlm) -> ServerProcess:
    """A server whose assistant is the scripted model."""
    return await start_server(settings=assistant(llm))


def names_in(body: dict[str, Any]) -> list[str]:
    """The names of all calls in a request, in either wire format."""
    found = [called["function"]["name"] for m in body["messages"] for called in m.get("tool_calls") or ()]
    parts = [p for m in body["messages"] if isinstance(m.get("content"), list) for p in m["content"]]
    return found + [part["name"] for part in parts if part.get("type") == "tool_use"]


@pytest.mark.parametrize("wire", WIRES)
async def test_calls_that_make_no_sense_go_back_to_the_model_and_the_chat_stays_usable(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm, wire: str
) -> None:
    """P3: no such tool, a name that providers reject, arguments that are not JSON or invalid."""
    server = await start_server(settings=assistant(llm, wire))
    bad = [
        "call no_such_tool {}",
        'call functions.read_file:0 {"path": "a"}',
        'call read_file {"path": ',
        "call read_file [1]",
        'call read_file {"path": "a", "line_count": 99999999999999999999999999}',
        f'call read_file {{"path": {"[" * 300}{"]" * 300}}}',
        'call read_file {"path": "\\ud800"}',
    ]
    async with chatting(server, workspace) as talk:
        ended = await talk.run("\n".join([*bad, "say I give up"]))
        assert ended["stop_reason"] == "end_turn"
        assert [result["is_error"] for result in talk.of_kind("tool-result")] == [True] * len(bad)
        assert len(llm.asked()) == len(bad) + 1
        assert talk.text() == "I give up"
        await server.restart()
        await talk.run("say Hello again")
        sent = llm.asked()[-1]["body"]
        assert_valid(sent)
        assert len(names_in(sent)) == len(bad)
        assert all(TOOL_NAME.fullmatch(name) for name in names_in(sent))
        assert "step failed" not in server.stderr


@pytest.mark.parametrize("wire", WIRES)
async def test_an_answer_without_a_word_and_one_that_is_cut_short_are_told(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm, wire: str
) -> None:
    """R38: the turn ends, and the next request is valid."""
    server = await start_server(settings=assistant(llm, wire))
    async with chatting(server, workspace) as talk:
        assert (await talk.run("nothing"))["stop_reason"] == "end_turn"
        assert [notice["text"] for notice in talk.notices("empty-answer")] == [
            "The model returned an empty response."
        ]
        assert (await talk.run("say This is too\nshort"))["stop_reason"] == "max_tokens"
        assert (await talk.run("say Well"))["stop_reason"] == "end_turn"
        assert len(talk.notices("empty-answer")) == 1
        assert_valid(llm.asked()[-1]["body"])


@pytest.mark.parametrize("wire", WIRES)
async def test_halves_of_characters_spoil_nothing(
    start_server: StartServer, workspace: Path, place: Path, wire: str
) -> None:
    """A model's text may contain characters that no file or database can store."""
    book = place / "scripts.json"
    book.write_text(json.dumps({"odd": "say one \ud83d two \ud83d\ude00 three", "next": "say fine"}))
    with scripted_llm(place / "odd.log", ["--bodies", "--scripts", str(book)]) as llm:
        server = await start_server(settings=assistant(llm, wire))
        async with chatting(server, workspace) as talk:
            assert (await talk.run("odd"))["stop_reason"] == "end_turn"
            assert talk.text() == "one \ufffd two \U0001f600 three"
            assert (await talk.run("next"))["stop_reason"] == "end_turn"
            assert len(llm.asked()) == 2
            await talk.judge()


async def test_names_of_files_that_are_no_text_are_shown_all_the_same(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """P3: once, and the turn continues."""
    with open(os.fsencode(workspace) + b"/odd-\xff.txt", "w") as file:
        file.write("needle\n")
    async with chatting(server, workspace) as talk:
        lines = [
            call("list_directory"),
            call("glob_search", pattern="*"),
            call("grep_search", pattern="needle"),
        ]
        assert (await talk.run("\n".join([*lines, "say end"])))["stop_reason"] == "end_turn"
        assert all("odd-" in result["content"] for result in talk.of_kind("tool-result"))
        assert len(llm.asked()) == len(lines) + 1
        assert "step failed" not in server.stderr


async def test_fifty_calls_in_one_answer(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm, agent_log: AgentLog
) -> None:
    """R33: forty files and ten agents' sessions, each with its own result, on one process."""
    for number in range(40):
        (workspace / f"{number}.txt").write_text(f"file {number}")
    lines = [call("read_file", path=f"{number}.txt") for number in range(40)]
    lines += [delegate(script(say(f"work {number}")), f"name-{number}") for number in range(10)]
    async with chatting(server, workspace) as talk:
        ended = await talk.run("\n".join([lines[0], *(f"also {line}" for line in lines[1:]), "say end"]), 60)
        assert ended["stop_reason"] == "end_turn"
        results = {result["id"]: result["content"] for result in talk.of_kind("tool-result")}
        told = [results[event["id"]] for event in talk.of_kind("tool-call")]
        assert told == [f"file {n}" for n in range(40)] + [f"work {n}" for n in range(10)]
        assert len(agent_log.starts()) == 1
        assert len(llm.asked()) == 2
        assert_valid(llm.asked()[-1]["body"])
        await talk.judge()


async def test_stopping_keeps_what_was_said_and_nothing_comes_after_the_end(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """R168, R47: the connection to the model is closed too."""
    async with chatting(server, workspace) as talk:
        for _ in range(3):
            turn = await talk.send("slow 2000 0.001")
            await until(lambda turn=turn: _said_in(talk, turn) > 3, 30)  # type: ignore[misc]
            await talk.cancel()
            assert (await talk.ended(turn))["stop_reason"] == "cancelled"
            await until(lambda: llm.asked()[-1]["ended"] == "cut", 10)
            kinds = [row.kind for row in talk.rows() if row.data.get("turn") == turn]
            assert kinds[-1] == "turn-ended"
        assert (await talk.run("say fine"))["stop_reason"] == "end_turn"
        await talk.judge()


def _said_in(talk: Talk, turn: str) -> int:
    return sum(e.kind == "text-delta" and e.data["turn"] == turn for e in talk.viewer.events)


async def test_the_mode_may_change_while_the_assistant_works(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm, agent_log: AgentLog
) -> None:
    """R163, R166, R164: the running turn stays with the assistant, the next goes to the agent; one log."""
    async with chatting(server, workspace) as talk:
        first = await talk.send(f"{delegate(script(say('x'), wait_file('go')))}\nsay The assistant's answer")
        await talk.sees("copilot-delta")
        changed = await talk.api.change_chat(talk.id, mode="agent")
        assert changed["mode"] == "agent"
        handover = f"/api/chats/{talk.id}/handover"
        await talk.api.call("PATCH", handover, {"left_out": True})  # the scripted agent would repeat it
        second = await talk.send(script(say("The agent's answer")))
        (workspace / "go").touch()
        assert (await talk.ended(first))["stop_reason"] == "end_turn"
        assert (await talk.ended(second))["stop_reason"] == "end_turn"
        assert talk.text() == "The assistant's answerThe agent's answer"
        began = [event["by"] for event in talk.of_kind("turn-started")]
        assert began == ["assistant", "agent"]
        asked = len(llm.asked())
        await talk.api.change_chat(talk.id, mode="llm")
        await talk.run("say And back")
        assert len(llm.asked()) == asked + 1
        users = [m for m in llm.asked()[-1]["body"]["messages"] if m["role"] == "user"]
        assert len(users) == 2  # messages to the agent are not sent to the model
        assert len(agent_log.starts()) == 1
        await talk.judge()


async def test_the_queue_is_edited_while_the_assistant_works(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """P6, R164: as with an agent."""
    async with chatting(server, workspace) as talk:
        first = await talk.send(f"{delegate(script(say('x'), wait_file('go')))}\nsay one")
        await talk.sees("copilot-delta")
        queued = [(await talk.api.prompt(talk.id, text)) for text in ("say two", "say three", "say four")]
        await talk.api.edit_queued(talk.id, queued[0]["message_id"], "say 2")
        await talk.api.remove_queued(talk.id, queued[1]["message_id"])
        (workspace / "go").touch()
        await talk.ended(first)
        await talk.ended(queued[2]["turn"])
        assert talk.text() == "one2four"
        users = [m["content"] for m in llm.asked()[-1]["body"]["messages"] if m["role"] == "user"]
        assert users[1:] == ["say 2", "say four"]


async def test_agent_mode_asks_no_model_whatever_is_done_in_it(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm, agent_log: AgentLog
) -> None:
    """R165, R167, V22, V32, V33: messages, a stop, a restart; no request to the model or its list."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        turn = await talk.send(script(say("two"), wait_file("never")))
        await talk.says("two")
        await talk.cancel()
        await talk.ended(turn)
        await server.restart()
        await talk.run(script(say("three")))
        sent = [frame["method"] for frame in agent_log.received() if "method" in frame]
        assert sent == [
            "initialize",
            "session/new",
            *["session/prompt"] * 2,
            "session/cancel",
            "session/prompt",
        ]
        kinds = [row.kind for row in talk.rows() if row.kind in ("message", "turn-started", "turn-ended")]
        assert kinds == ["message", "turn-started", "turn-ended"] * 3
        assert not llm.log.exists()


async def test_without_a_key_everything_else_works_and_it_is_said_what_to_do(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """R69, R163, R164: in llm mode the error says what to set, and where; agents are not affected."""
    server = await start_server(settings={"assistant": {"provider": "anthropic"}})
    async with chatting(server, workspace) as talk:
        ended = await talk.run("Hello")
        assert ended["stop_reason"] == "error"
        assert "No API key is set for Anthropic" in ended["error"]["message"]
        assert "ANTHROPIC_API_KEY" in ended["error"]["hint"]
        await talk.api.change_chat(talk.id, mode="agent")
        assert (await talk.run(script(say("I work"))))["stop_reason"] == "end_turn"
        assert talk.text() == "I work"
        await talk.judge()


@pytest.mark.parametrize("wire", WIRES)
async def test_a_wrong_key_is_told_and_is_nowhere_to_be_read(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm, wire: str
) -> None:
    """R69: refused once, reported with a hint; not retried automatically."""
    server = await start_server(settings=assistant(llm, wire, api_key="sk-very-secret"))
    async with chatting(server, workspace) as talk:
        ended = await talk.run("fail 401")
        assert "key" in ended["error"]["message"]
        assert "settings" in ended["error"]["hint"]
        assert len(llm.asked()) == 1
        assert "sk-very-secret" not in json.dumps([row.data for row in talk.rows()])
        assert "sk-very-secret" not in server.stderr
        assert (await talk.run("say fine"))["stop_reason"] == "end_turn"


async def test_without_any_agent_the_assistant_still_answers(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    """R69: a program that is not installed is reported to the model, in words that help the person."""
    nowhere = {"command": "no-such-program-anywhere", "args": []}
    server = await start_server(agents={"mine": nowhere}, settings=assistant(llm))
    async with chatting(server, workspace, "mine") as talk:
        ended = await talk.run(f"{delegate('Fix it')}\nsay There is no agent")
        assert ended["stop_reason"] == "end_turn"
        (result,) = talk.of_kind("tool-result")
        assert result["is_error"] is True
        assert "no-such-program-anywhere" in result["content"]
        assert talk.text() == "There is no agent"


async def test_agents_with_troubles_of_their_own_do_not_trouble_the_chat(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """R8, R38, R62, R72: one requires a sign-in, one does not start, one is silent, others stop early."""
    async with chatting(server, workspace) as talk:
        for number, fault in enumerate(("auth-on-new", "auth-on-prompt"), 1):
            turn = await talk.send(f"{delegate(script(say('in')), 'A', f'scripted-{fault}')}\nsay .")
            question = await talk.question(number)
            assert question["type"] == "sign-in"
            assert question["tool_call_id"] == talk.of_kind("tool-call")[-1]["id"]
            await talk.answer(question, "method:scripted-login")
            assert (await talk.ended(turn))["stop_reason"] == "end_turn"
            assert talk.of_kind("tool-result")[-1]["content"] == "in"
        for fault, words in (("exit-at-spawn", "exit code 3"), ("empty", "sent no text")):
            await talk.run(f"{delegate('x', 'A', f'scripted-{fault}')}\nsay .")
            assert words in talk.of_kind("tool-result")[-1]["content"]
        for reason in ("refusal", "max_tokens", "max_turn_requests", "something_new"):
            await talk.run(f"{delegate(script(say('half'), stop(reason)), 'A')}\nsay .")
            assert talk.of_kind("copilot-done")[-1]["stop_reason"] == reason
            assert reason in talk.of_kind("tool-result")[-1]["content"]
        assert_valid(llm.asked()[-1]["body"])
        assert talk.text() == "." * 8
        await talk.judge()


async def test_signing_in_for_the_assistant_is_shown_within_its_call(
    start_server: StartServer, workspace: Path, place: Path, llm: ScriptedLlm
) -> None:
    """R38, R62: the question, the terminal and what it prints."""
    signs = scripted("auth-on-new", options=["--signed-in-file", str(place / "signed-in")])
    server = await start_server(agents={"signs": signs}, settings=assistant(llm))
    async with chatting(server, workspace) as talk:
        turn = await talk.send(f"{delegate(script(say('in')), 'A', 'signs')}\nsay .")
        await talk.answer(await talk.question(), "terminal:scripted-terminal")
        await talk.question(2)
        terminal = (await talk.sees("terminal"))["terminal_id"]
        await until(lambda: "code: " in "".join(o["data"] for o in talk.of_kind("terminal-output")), 20)
        await talk.api.type_into(talk.id, terminal, data="code\r")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        (called,) = talk.of_kind("tool-call")
        for kind, times in (("question", 2), ("terminal", 1), ("terminal-exit", 1)):
            assert [body["tool_call_id"] for body in talk.of_kind(kind)] == [called["id"]] * times
        await talk.judge()


async def test_what_is_asked_before_an_agent_starts_for_the_assistant_is_shown_within_its_call(
    start_server: StartServer, workspace: Path, place: Path, llm: ScriptedLlm, agent_log: AgentLog
) -> None:
    """R38, A46, A48: whether its folder is trusted, and whether its changed command is approved."""
    agents = {"mine": mine(place, agent_log)}
    server = await start_server(agents=agents, settings={**assistant(llm), "trusted_folders": []})
    prompt = f"{delegate(script(say('in')), 'A', 'mine')}\nsay ."
    for title, option in (("Do you trust", "trust"), ("Start mine with the changed command", "start")):
        async with chatting(server, workspace) as talk:
            turn = await talk.send(prompt)
            question = await talk.question()
            (called,) = talk.of_kind("tool-call")
            assert (question["tool_call_id"], question["turn"]) == (called["id"], turn)
            assert question["title"].startswith(title)
            assert (await talk.api.chat(talk.id))["needs_you"] == 1
            await talk.answer(question, option)
            assert (await talk.ended(turn))["stop_reason"] == "end_turn"
            assert talk.of_kind("tool-result")[-1]["content"] == "in"
            await talk.judge()
            if option == "trust":
                await tamper(server, talk.api, '"--agent-version", "1"', '"--agent-version", "2"')


async def test_on_a_machine_without_any_agent_the_rest_works(
    workspace: Path, place: Path, mark: str, llm: ScriptedLlm
) -> None:
    """R69, R72, R163, R164: the assistant still answers; the hint says how to get an agent."""
    (workspace / "a.txt").write_text("alpha")
    config = write_config(place / "config.toml", {}, assistant(llm))
    env = {MARK: mark, "PATH": str(Path(sys.executable).parent), "HOME": str(place)}
    async with ServerProcess(place / "data", config, env=env) as server:
        async with chatting(server, workspace, None) as talk:
            found = {agent["id"]: agent["found"] for agent in (await talk.api.agents())["agents"]}
            assert {id for id, where in found.items() if where} <= {"demo"}
            lines = [
                call("read_file", path="a.txt"),
                delegate("Fix it", agent="copilot"),
                "say No agent here",
            ]
            assert (await talk.run("\n".join(lines)))["stop_reason"] == "end_turn"
            read, refused = talk.of_kind("tool-result")
            assert read["content"] == "alpha"
            assert refused["is_error"] is True
            assert "copilot" in refused["content"]
            await talk.api.change_chat(talk.id, mode="agent", agent="copilot")
            ended = await talk.run("Hello")
            assert ended["stop_reason"] == "error"
            assert "npm install" in json.dumps(ended["error"])
            await talk.api.change_chat(talk.id, mode="llm")
            assert (await talk.run("say Still here"))["stop_reason"] == "end_turn"
            assert talk.text() == "No agent hereStill here"
            await talk.judge()


async def test_messages_of_many_chats_are_answered_side_by_side(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm
) -> None:
    """R164: the model of one chat does not wait for that of another."""
    async with Api(server.url, server.token) as api:
        chats = [(await api.create_chat(workspace, mode="llm"))["id"] for _ in range(8)]
        for chat in chats:
            await api.prompt(chat, "wait 2\nsay done")
        await until(lambda: len(llm.asked()) == 8, 30)
        assert {asked["ended"] for asked in llm.asked()} == {None}

        async def all_done() -> bool:
            return not any([(await api.chat(chat))["running"] for chat in chats])

        await until(all_done, 30)
