"""Work that the assistant delegates to agents: who sees it, who decides, and what remains."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import (
    ALLOW,
    REJECT,
    ask,
    chunks,
    commands,
    plan,
    request,
    say,
    script,
    silent,
    spoken_by,
    stop,
    text,
    think,
    tool,
    update,
    wait_file,
)
from tests.kit.clients.assistant import assert_valid, assistant, chatting, delegate, delegated_text
from tests.kit.clients.client import Api
from tests.kit.clients.driver import ask as ask_database
from tests.kit.clients.driver import keeper_of
from tests.kit.clients.sse import Viewer, connect
from tests.kit.machine.processes import marked
from tests.kit.oracles.oracle import check_received, stored
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

OPTIONS = [
    {"optionId": ALLOW, "name": "Allow", "kind": "allow_once"},
    {"optionId": REJECT, "name": "Reject", "kind": "reject_once"},
]


@pytest.fixture
async def server(start_server: StartServer, llm: ScriptedLlm) -> ServerProcess:
    """A server whose assistant is the scripted model."""
    return await start_server(settings=assistant(llm))


def wish(id: str, path: Path | str) -> str:
    """The agent wants to edit a file."""
    call = {
        "toolCallId": id,
        "kind": "edit",
        "locations": [{"path": str(path)}],
        "rawInput": {"path": str(path)},
    }
    return request("session/request_permission", {"toolCall": call, "options": OPTIONS})


def block_of(blocks: list[dict[str, Any]], call: str) -> dict[str, Any]:
    return next(block for block in blocks if block["kind"] == "tool" and block["id"] == call)


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_work_is_given_looked_at_and_told_of_on_either_wire(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm, wire: str
) -> None:
    """V1–V4, V7, V9–V11, R20–R26, R29–R33, R35, R36, R38: two at once, one follow-up, then text."""
    server = await start_server(settings=assistant(llm, wire))
    async with chatting(server, workspace) as talk:
        lines = [
            delegate(script(say("a1")), "A"),
            f"also {delegate(script(say('b1'), stop('max_tokens')), 'B')}",
            delegate(script(say("a2")), "A"),
            "say Both are done",
        ]
        assert (await talk.run("\n".join(lines)))["stop_reason"] == "end_turn"
        assert talk.text().endswith("Both are done")
        done = {body["summary"]: body for body in talk.of_kind("copilot-done")}
        assert {body["stop_reason"] for body in done.values()} == {"end_turn", "max_tokens"}
        by_session = {f["params"]["sessionId"]: 0 for f in agent_log.received("session/prompt")}
        assert len(by_session) == 2 == len(agent_log.received("session/new"))
        assert [f["params"]["mcpServers"] for f in agent_log.received("session/new")] == [[], []]
        for call in talk.of_kind("tool-call"):
            kinds = [
                r.kind for r in talk.rows() if call["id"] in (r.data.get("id"), r.data.get("tool_call_id"))
            ]
            assert [k for n, k in enumerate(kinds) if k not in kinds[:n]] == [
                "tool-call", "copilot-delta", "copilot-done", "tool-result",
            ]  # fmt: skip
        assert len(llm.asked()) == 3
        for asked in llm.asked():
            assert_valid(asked["body"])
        await talk.run("say And it continues")
        assert_valid(llm.asked()[-1]["body"])
        await talk.judge()


async def test_one_process_for_each_chat_and_agent(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm
) -> None:
    """V12, R1, R28, C23: a name applies within its chat and agent; the call may name the agent."""
    async with chatting(server, workspace) as one, chatting(server, workspace) as other:
        second = "scripted-late-chunks"
        lines = [delegate(script(say("x")), "A"), delegate(script(say("y")), "A", second)]
        await one.run("\n".join([*lines, *lines, "say end"]))
        await other.run(f"{lines[0]}\nsay end")
        assert len(agent_log.starts()) == 3
        assert len(agent_log.received("session/new")) == 3
        kept = ask_database(
            server.database, "SELECT chat_id, agent, name FROM acp_sessions ORDER BY created_at"
        )
        assert kept == [(one.id, "scripted", "A"), (one.id, second, "A"), (other.id, "scripted", "A")]
        assert {done["agent"] for done in one.of_kind("copilot-done")} == {"scripted", second}


async def test_whatever_the_assistant_calls_a_session_it_is_not_the_persons_own(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """C1, C23, R25: automatic approvals there do not apply where the person talks to the agent."""
    async with chatting(server, workspace) as talk:
        await talk.run(f"{delegate(script(say('one')), 'main')}\nsay end")
        await talk.api.change_chat(talk.id, mode="agent", agent="scripted")
        await talk.run(script(say("two")))
        await talk.api.change_chat(talk.id, mode="llm")
        await talk.run(f"{delegate(script(say('three')), 'main')}\nsay end")
        first, persons, again = [f["params"]["sessionId"] for f in agent_log.received("session/prompt")]
        assert first == again != persons
        assert len(agent_log.received("session/new")) == 2
        names = ask_database(server.database, "SELECT name FROM acp_sessions ORDER BY created_at")
        assert names == [("main (assistant)",), ("main",)]
        assert {done["session_name"] for done in talk.of_kind("copilot-done")} == {"main (assistant)"}


async def test_an_agent_that_is_not_there_is_told_to_the_model_and_it_goes_on(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """P3, C23."""
    async with chatting(server, workspace) as talk:
        lines = [delegate("x", "A", "nobody"), 'call copilot_agent {"session_name": "A"}', "say I see"]
        assert (await talk.run("\n".join(lines)))["stop_reason"] == "end_turn"
        unknown, incomplete = talk.of_kind("tool-result")
        assert (unknown["is_error"], incomplete["is_error"]) == (True, True)
        assert "nobody" in unknown["content"]
        assert "scripted" in unknown["content"]
        assert "`prompt` is missing" in incomplete["content"]
        assert talk.text() == "I see"
        assert agent_log.starts() == []


async def test_who_joins_in_the_midst_of_work_gets_all_of_it_once(
    server: ServerProcess, workspace: Path
) -> None:
    """V14, V18, V19, R40, R41, R43, R44, R50, R51: history, `ready`, live events; others come and go."""
    first, second = script(chunks(300)), script(chunks(300))
    work = script(chunks(300), wait_file("go"), chunks(300))
    async with chatting(server, workspace) as talk:
        turn = await talk.send(f"{delegate(work)}\nsay end")
        await talk.sees("tool-call")
        call = talk.of_kind("tool-call")[0]["id"]
        await until(lambda: delegated_text(talk.viewer.events, call) == spoken_by(first), 30)
        where = (server.url, server.token, talk.id)
        async with (
            Viewer(*where) as late,
            Viewer(*where, tail=50) as short,
            Viewer(*where, cut_after=iter([900, 4000, None])) as cut,
            connect(server.url, f"/api/chats/{talk.id}/stream", server.token) as leaving,
        ):
            past = await leaving.read_until("ready")
            assert delegated_text(past, call) == spoken_by(first)
            await leaving.cut()
            await late.read_until("ready")
            snapshot = (await short.read_until("ready"))[0].data
            block = block_of(snapshot["blocks"], call)
            assert block["status"] == "in_progress"
            held = "".join(
                b["text"] for b in snapshot["blocks"] if b["kind"] == "text" and b.get("tool_call_id") == call
            )
            assert held == spoken_by(first)
            (workspace / "go").touch()
            await talk.ended(turn)
            for viewer in (late, short, cut):
                await viewer.read_turns(1)
            whole = spoken_by(first) + spoken_by(second)
            assert delegated_text(late.events, call) == whole == delegated_text(cut.events, call)
            assert delegated_text(short.events, call) == spoken_by(second)
            assert cut.connections == 3
            rows = stored(server.database, talk.id)
            for viewer in (late, short, cut, talk.viewer):
                check_received(viewer.events, rows, complete=True)


async def test_two_that_work_at_once_are_caught_up_with_each_for_itself(
    server: ServerProcess, workspace: Path
) -> None:
    """R33, R42, R52: thoughts, plans, tools and commands of each carry the call they belong to."""
    unknown = update({"sessionUpdate": "something_new", "x": 1})
    busy = [think("hm"), unknown, plan("a", "b"), tool("t1"), commands("go"), wait_file("go")]
    works = {name: script(say(f"I am {name}"), *busy) for name in ("A", "B")}
    async with chatting(server, workspace) as talk:
        turn = await talk.send(f"{delegate(works['A'], 'A')}\nalso {delegate(works['B'], 'B')}\nsay end")
        await until(lambda: len(talk.of_kind("plan")) == 2 and len(talk.of_kind("tool-call")) == 4, 30)
        calls = {event["session_name"]: event["tool_call_id"] for event in talk.of_kind("copilot-delta")}
        assert len(set(calls.values())) == 2
        async with Viewer(server.url, server.token, talk.id) as late:
            await late.read_until("ready")
            for name, call in calls.items():
                assert delegated_text(late.events, call) == f"I am {name}"
            for kind in ("thought-delta", "plan"):
                of_kind = [event.data["tool_call_id"] for event in late.events if event.kind == kind]
                assert sorted(of_kind) == sorted(calls.values())
            inner = [e.data for e in late.events if e.kind == "tool-call" and e.data["id"] == "t1"]
            assert sorted(event["tool_call_id"] for event in inner) == sorted(calls.values())
        (workspace / "go").touch()
        await talk.ended(turn)
        await talk.judge()


async def test_a_finished_block_is_drawn_from_the_log_without_any_agent(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """V5, V6, V8, V13, V15, R37, R45, R56, R29: a long text is complete and equals its joined deltas."""
    work = script(text(40, 5000), wait_file("go"), say("the last words"))
    async with chatting(server, workspace) as talk:
        turn = await talk.send(f"{delegate(work, 'long')}\nsay end")
        await talk.sees("copilot-delta")
        call = talk.of_kind("tool-call")[0]["id"]
        running = block_of((await talk.api.blocks(talk.id))["blocks"], call)
        assert (running["status"], running["input"]["session_name"]) == ("in_progress", "long")
        assert "delegated" not in running
        (workspace / "go").touch()
        await talk.ended(turn)
        frames = len(agent_log.lines())
        await server.restart()
        blocks = (await talk.api.blocks(talk.id))["blocks"]
        block = block_of(blocks, call)
        assert (block["status"], block["name"]) == ("completed", "copilot_agent")
        assert block["delegated"]["session_name"] == "long"
        inner = "".join(b["text"] for b in blocks if b["kind"] == "text" and b.get("tool_call_id") == call)
        assert inner == spoken_by(work) == delegated_text(talk.rows(), call)
        ((display, content),) = ask_database(server.database, "SELECT display, content FROM calls")
        assert display == inner
        assert len(content) < 5000
        assert content.endswith("the last words")
        assert len(agent_log.lines()) == frames


async def _lose_all(server: ServerProcess, agent_log: AgentLog, mark: str) -> None:
    """The machine crashes: the server, the keepers and the agents."""
    await server.kill()
    agent = agent_log.starts()[-1]
    os.kill(keeper_of(agent), signal.SIGKILL)
    os.kill(agent, signal.SIGKILL)
    await until(lambda: not [found for found in marked(mark) if found.pid == agent], 10)


async def test_after_the_machine_was_down_every_name_is_brought_back_before_its_prompt(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """V16, R53–R56, R58, C2: blocks from the log, one new process, then the sessions, then the prompt."""
    async with chatting(server, workspace) as talk:
        await talk.run(f"{delegate(script(say('a1')), 'A')}\n{delegate(script(say('b1')), 'B')}\nsay end")
        await _lose_all(server, agent_log, mark)
        await server.start()
        blocks = (await talk.api.blocks(talk.id))["blocks"]
        assert [b["status"] for b in blocks if b["kind"] == "tool"] == ["completed", "completed"]
        assert len(agent_log.starts()) == 1
        before = len(agent_log.received())
        await talk.run(f"{delegate(script(say('a2')), 'A')}\nsay end")
        new = agent_log.received()[before:]
        methods = [frame["method"] for frame in new if "method" in frame]
        assert len(agent_log.starts()) == 2
        assert methods[0] == "initialize"
        assert methods[-1] == "session/prompt"
        assert methods.count("session/resume") == 2
        assert "session/new" not in methods
        asked = [frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")]
        assert asked[2] == asked[0]
        assert len(talk.notices("restored")) == 2
        await talk.judge()


async def test_work_that_was_cut_off_with_its_agent_leaves_a_valid_chat(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm, mark: str
) -> None:
    """V21, R14, R47, R57, R61, C16: `interrupted`, the model is not asked; then it continues."""
    async with chatting(server, workspace) as talk:
        turn = await talk.send(f"{delegate(script(say('half'), silent()), 'A')}\nsay never")
        await talk.sees("copilot-delta")
        await _lose_all(server, agent_log, mark)
        await server.start()
        assert (await talk.ended(turn))["stop_reason"] == "interrupted"
        (result,) = talk.of_kind("tool-result")
        assert (result["is_error"], result["display"]) == (True, "half")
        assert talk.of_kind("copilot-done")[0]["stop_reason"] == "interrupted"
        assert len(llm.asked()) == 1
        assert [found for found in marked(mark) if "scripted_agent" in found.command] == []
        await talk.run(f"{delegate(script(say('whole')), 'A')}\nsay Done now")
        assert_valid(llm.asked()[-1]["body"])
        asked = [frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")]
        assert asked[0] == asked[1]
        assert "may not remember" in talk.notices("restored")[0]["detail"]
        assert talk.text() == "Done now"
        await talk.judge()


async def test_the_one_who_looks_may_leave_and_the_work_goes_on(
    server: ServerProcess, workspace: Path, llm: ScriptedLlm, agent_log: AgentLog
) -> None:
    """R46, R48, R49, C18: nobody is watching while the agent works, the server dies, the model answers."""
    async with Api(server.url, server.token) as api:
        chat = (await api.create_chat(workspace, mode="llm"))["id"]
        work = script(chunks(100, 5), wait_file("go"), say("end"))
        await api.prompt(chat, f"{delegate(work)}\nslow 20 0.01")
        await until(lambda: len(agent_log.prompts()) == 1, 30)
        await server.restart()
        (workspace / "go").touch()
        await until(
            lambda: stored(server.database, chat)[-1].kind == "agent-status" or _ended(server, chat), 30
        )
        await until(lambda: _ended(server, chat), 30)
    rows = stored(server.database, chat)
    call = next(row.data["id"] for row in rows if row.kind == "tool-call")
    assert delegated_text(rows, call) == spoken_by(work)
    assert [row.data["code"] for row in rows if row.kind == "notice"] == ["recovered"]
    assert len(llm.asked()) == 2


def _ended(server: ServerProcess, chat: str) -> bool:
    return any(row.kind == "turn-ended" for row in stored(server.database, chat))


async def test_an_idle_agent_that_nobody_looks_at_is_let_go_and_comes_back(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm, agent_log: AgentLog, mark: str
) -> None:
    """V20, R13, R14, C4: not while it works; its sessions are restored when it is needed again."""
    server = await start_server(settings={**assistant(llm), "copilot_connection_ttl": "1s"})
    async with Api(server.url, server.token) as api:
        chat = (await api.create_chat(workspace, mode="llm"))["id"]
        for number in (1, 2):
            work = script(say("x"), "sleep 2.5", say("y"))
            await api.prompt(chat, f"{delegate(work)}\nsay end")
            await until(lambda n=number: len(_kinds(server, chat, "turn-ended")) == n, 30)  # type: ignore[misc]
            ended = _kinds(server, chat, "turn-ended")[-1]
            assert ended["stop_reason"] == "end_turn"
            await until(lambda: not [f for f in marked(mark) if "scripted_agent" in f.command], 30)
    assert len(agent_log.starts()) == 2
    assert len({f["params"]["sessionId"] for f in agent_log.received("session/prompt")}) == 1
    assert [r["display"] for r in _kinds(server, chat, "tool-result")] == ["xy", "xy"]


def _kinds(server: ServerProcess, chat: str, kind: str) -> list[dict[str, Any]]:
    return [row.data for row in stored(server.database, chat) if row.kind == kind]


@pytest.mark.parametrize("strict", [False, True])
async def test_where_people_are_asked_the_question_stands_in_the_block_of_the_work(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm, agent_log: AgentLog, strict: bool
) -> None:
    """C1, R81: by the chat's policy or for all chats; the answer reaches the agent, across a restart too."""
    server = await start_server(settings={**assistant(llm), "strict": strict})
    async with chatting(server, workspace) as talk:
        if not strict:
            await talk.api.change_chat(talk.id, permissions="ask")
        turn = await talk.send(
            f"{delegate(script(ask('e1', 'May I edit?'), ask('e2', 'Once more?')))}\nsay end"
        )
        question = await talk.question()
        call = talk.of_kind("tool-call")[0]["id"]
        assert question["tool_call_id"] == call
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        blocks = (await talk.api.blocks(talk.id))["blocks"]
        waiting = next(block for block in blocks if block["kind"] == "question")
        assert (waiting["tool_call_id"], waiting.get("answer")) == (call, None)
        assert block_of(blocks, call)["status"] == "in_progress"
        await server.restart()
        await talk.answer(question, ALLOW)
        await talk.answer(await talk.question(2), REJECT)
        await talk.ended(turn)
        assert agent_log.decisions() == [ALLOW, REJECT]
        assert [(a["tool_call_id"], a["by"]) for a in talk.of_kind("answer")] == [(call, "person")] * 2
        await talk.judge()


async def test_by_default_delegated_work_is_approved_with_a_line_for_each_but_not_everything(
    server: ServerProcess, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """C1, R22, R79: never control files or anything outside; those are asked about."""
    control, outside = workspace / ".git/hooks/pre-commit", place / "elsewhere.txt"
    work = script(wish("one", workspace / "a.py"), wish("two", control), wish("three", outside), say("done"))
    async with chatting(server, workspace) as talk:
        assert (await talk.api.chat(talk.id))["policy"] == "auto"
        turn = await talk.send(f"{delegate(work)}\nsay end")
        for number in (2, 3):
            question = await talk.question(number)
            assert question["detail"]["caution"]
            await talk.answer(question, REJECT)
        await talk.ended(turn)
        call = talk.of_kind("tool-call")[0]["id"]
        assert [a["by"] for a in talk.of_kind("answer")] == ["auto", "person", "person"]
        assert {event["tool_call_id"] for event in talk.of_kind("answer")} == {call}
        assert agent_log.decisions() == [ALLOW, REJECT, REJECT]
        blocks = (await talk.api.blocks(talk.id))["blocks"]
        shown = [block["answer"]["by"] for block in blocks if block["kind"] == "question"]
        assert shown == ["auto", "person", "person"]


async def test_a_name_that_is_busy_waits_its_turn_and_says_so(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R25, R33: a second call with the same name has a line in its block; in order, even after a restart."""
    works = [script(say("1"), wait_file("go")), script(say("2")), script(say("3"))]
    lines = [delegate(works[0], "A"), *(f"also {delegate(work, 'A')}" for work in works[1:])]
    async with chatting(server, workspace) as talk:
        turn = await talk.send("\n".join([*lines, "say end"]))
        await until(lambda: len(talk.notices("session-busy")) == 2, 30)
        calls = [row.data["id"] for row in talk.rows() if row.kind == "tool-call"]
        assert [notice["tool_call_id"] for notice in talk.notices("session-busy")] == calls[1:]
        assert "“A”" in talk.notices("session-busy")[0]["text"]
        await until(lambda: len(agent_log.prompts()) == 1, 30)
        await server.restart()
        (workspace / "go").touch()
        await talk.ended(turn)
        assert agent_log.prompts() == works
        assert len(talk.notices("session-busy")) == 2
        assert [result["display"] for result in talk.of_kind("tool-result")] == ["1", "2", "3"]
        await talk.judge()


async def test_stopping_while_one_call_works_and_another_waits_for_the_same_name(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm
) -> None:
    """R38, R47: both have a result, only one prompt was ever sent, and the next request is valid."""
    async with chatting(server, workspace) as talk:
        held = script(say("1"), ask("q"), silent())
        await talk.api.change_chat(talk.id, permissions="ask")
        turn = await talk.send(f"{delegate(held, 'A')}\nalso {delegate(script(say('2')), 'A')}\nsay end")
        await talk.question()
        await talk.cancel()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert [r["is_error"] for r in talk.of_kind("tool-result")] == [True, True]
        assert agent_log.decisions() == ["cancelled"]
        assert len(agent_log.prompts()) == 1
        await talk.run(f"{delegate(script(say('3')), 'A')}\nsay fine")
        assert_valid(llm.asked()[-1]["body"])
        assert len(agent_log.starts()) == 1
        await talk.judge()


async def test_a_chat_can_be_deleted_in_the_midst_of_delegated_work(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """C4, R10: agent and keeper are gone, nothing is left of the chat."""
    async with chatting(server, workspace) as talk:
        busy = "\nalso ".join(delegate(script(chunks(10000, 1)), name) for name in ("A", "B"))
        await talk.send(f"{busy}\nsay end")
        await until(lambda: len(agent_log.prompts()) == 2, 30)
        await talk.api.delete_chat(talk.id)
        assert [found for found in marked(mark) if "scripted_agent" in found.command] == []
        tables = ("turns", "calls", "model_steps", "tasks", "events")
        left = " UNION ALL ".join(f"SELECT 1 FROM {table}" for table in tables)
        await until(lambda: ask_database(server.database, left) == [], 10)
        assert "Traceback" not in server.stderr


async def test_an_agent_that_works_for_the_assistant_neither_names_the_chat_nor_echoes_into_it(
    server: ServerProcess, workspace: Path
) -> None:
    """V7, R2: it may name its session freely, and its task is known."""
    told = {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "title Mine"}}
    work = script("title Mine", update(told), say("done"))
    async with chatting(server, workspace) as talk:
        await talk.run(delegate(work))
        assert "Mine" not in {event.get("title") for event in talk.of_kind("chat-info")}
        assert (await talk.api.chat(talk.id))["title"] != "Mine"
        assert talk.of_kind("unknown") == []
