"""What agents may do without a person: policies, and what none of them covers."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import (
    ALLOW,
    ALWAYS,
    REJECT,
    ask,
    ask_many,
    raw,
    request,
    say,
    script,
    update,
    wait_file,
)
from tests.faults.driver import Talk, talking
from tests.faults.driver import ask as ask_database
from tests.kit.agent_log import AgentLog
from tests.kit.client import Api, ApiError, new_key
from tests.kit.server import ServerProcess
from tests.kit.sse import Viewer
from tests.kit.waiting import until

OPTIONS = [
    {"optionId": ALWAYS, "name": "Always", "kind": "allow_always"},
    {"optionId": ALLOW, "name": "Allow", "kind": "allow_once"},
    {"optionId": REJECT, "name": "Reject", "kind": "reject_once"},
]


def wish(call: str, options: list[dict[str, Any]] | None = None, **fields: Any) -> str:
    """The agent asks to do this; it says what it was answered."""
    params = {"toolCall": {"toolCallId": call, **fields}, "options": OPTIONS if options is None else options}
    return request("session/request_permission", params)


def run(command: str, **fields: Any) -> str:
    return wish(f"run {command}", title="List files", kind="read", rawInput={"command": command}, **fields)


def answered(talk: Talk) -> list[tuple[str, str]]:
    return [(a["outcome"], a["by"]) for a in talk.of_kind("answer")]


async def test_agent_mode_asks_unless_told_otherwise(server: ServerProcess, workspace: Path) -> None:
    """R80, R82: every request is put to a person with the agent's own names."""
    async with talking(server, workspace) as talk:
        assert (await talk.api.chat(talk.id))["policy"] == "ask"
        turn = await talk.send(script(run("ls")))
        question = await talk.question()
        assert [(o["label"], o["kind"]) for o in question["options"]] == [
            (option["name"], option["kind"]) for option in OPTIONS
        ]
        assert question["detail"]["input"] == {"command": "ls"}
        await talk.answer(question, ALLOW)
        await talk.ended(turn)
        assert answered(talk) == [("allow_once", "person")]


async def test_an_automatic_approval_is_at_once_and_leaves_its_question_in_the_chat(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R79, R83, A54: the modest option; the record keeps exactly what was asked."""
    async with talking(server, workspace) as talk:
        assert (await talk.api.change_chat(talk.id, permissions="auto"))["policy"] == "auto"
        assert (await talk.sees(lambda e: e.data.get("policy") == "auto"))["policy"] == "auto"
        await talk.run(script(run("make test"), say("end")))
        (question,) = talk.of_kind("question")
        assert answered(talk) == [("allow_once", "auto")]
        assert agent_log.decisions() == [ALLOW]
        sql = "SELECT decided_by, policy, detail FROM questions WHERE id = ?"
        ((by, policy, detail),) = ask_database(server.database, sql, question["id"])
        assert (by, policy, json.loads(detail)["input"]) == ("auto", "auto", {"command": "make test"})
        await talk.judge()


async def test_what_auto_does_not_cover_is_asked_and_says_why(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A25, A41, A54: control files, what is outside, a change of mode, no option that allows."""
    (workspace / "out").symlink_to("/etc")
    asked = {
        wish("git", kind="edit", locations=[{"path": str(workspace / ".git/hooks/pre-commit")}]): "programs",
        wish("env", kind="read", rawInput={"file_path": ".env"}): "programs",
        run("rm -rf ../other"): "outside",
        wish("link", kind="read", rawInput={"path": "out/passwd"}): "outside",
        wish("mode", kind="switch_mode", rawInput={}): "how the agent works",
        wish("no", [OPTIONS[2]], rawInput={"path": "a.py"}): "",
    }
    async with talking(server, workspace) as talk:
        await talk.api.change_chat(talk.id, permissions="auto")
        for number, (line, why) in enumerate(asked.items(), 1):
            turn = await talk.send(script(line))
            question = await talk.question(number)
            assert why in question["detail"].get("caution", "")
            assert bool(why) == ("caution" in question["detail"])
            await talk.answer(question, REJECT)
            await talk.ended(turn)
        assert agent_log.decisions() == [REJECT] * len(asked)
        assert set(answered(talk)) == {("reject_once", "person")}
        await talk.run(script(run("cat a.py")))
        assert answered(talk)[-1] == ("allow_once", "auto")


async def test_what_a_call_is_named_does_not_speak_for_it(server: ServerProcess, workspace: Path) -> None:
    """A41: “List files”, of the kind “read”, that removes all: asked, and shown with what it would do."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run("rm -rf src")))
        question = await talk.question()
        assert (question["title"], question["detail"]["tool_kind"]) == ("List files", "read")
        assert question["detail"]["input"] == {"command": "rm -rf src"}
        assert talk.of_kind("answer") == []
        await talk.answer(question, REJECT)
        await talk.ended(turn)


async def test_a_card_warns_of_what_is_more_than_everyday_work_under_any_policy(
    server: ServerProcess, workspace: Path
) -> None:
    """A25: clearly marked."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run("cat .env"), run("cat a.py")))
        first = await talk.question(1)
        assert ".env" in first["detail"]["caution"]
        await talk.answer(first, ALWAYS)
        second = await talk.question(2)
        assert "caution" not in second["detail"]
        await talk.answer(second, ALLOW)
        await talk.ended(turn)


async def test_switching_to_auto_answers_what_is_open_and_covered(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R81, C1: at once, for the running agent; what is not covered stays with the person."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("x")))
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        frames = [
            {"jsonrpc": "2.0", "id": number, "method": "session/request_permission",
             "params": {"sessionId": session, "options": OPTIONS,
                        "toolCall": {"toolCallId": f"c{number}", "rawInput": {"command": command}}}}
            for number, command in enumerate(["ls", "cat /etc/passwd", "make"], 100)
        ]  # fmt: skip
        turn = await talk.send(script(*(raw(json.dumps(frame)) for frame in frames), wait_file("go")))
        await talk.question(3)
        await talk.api.change_chat(talk.id, permissions="auto")
        await until(lambda: agent_log.decisions() == [ALLOW, ALLOW], 10)
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        # Back to asking: what is open stays open, and the next ones are asked.
        await talk.api.change_chat(talk.id, permissions="ask")
        await talk.answer(talk.of_kind("question")[1], REJECT)
        (workspace / "go").touch()
        await talk.ended(turn)
        turn = await talk.send(script(run("ls")))
        await talk.answer(await talk.question(4), REJECT)
        await talk.ended(turn)
        assert answered(talk)[-1] == ("reject_once", "person")
        await talk.judge()


async def test_the_switches_of_the_settings_count_for_every_chat(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """R81, C1: also for a question that was open when the server was away; strict is stronger."""
    server = await start_server()
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run("ls")))
        await talk.question()
        await server.kill()
        server.env["VOXPILOT_ACP_AUTO_ALLOW_PERMISSIONS"] = "1"
        await server.start()
        await talk.ended(turn)
        assert answered(talk) == [("allow_once", "auto")]
        await talk.api.change_chat(talk.id, permissions="auto")
        server.env["VOXPILOT_STRICT"] = "1"
        await server.restart(signal.SIGTERM)
        turn = await talk.send(script(run("ls")))
        await talk.answer(await talk.question(2), REJECT)
        await talk.ended(turn)
        assert agent_log.decisions() == [ALLOW, REJECT]


async def test_a_chat_can_begin_with_a_policy(server: ServerProcess, workspace: Path) -> None:
    """C1"""
    async with talking(server, workspace) as talk:
        made = await talk.api.create_chat(workspace, permissions="auto")
        assert made["policy"] == "auto"
        with pytest.raises(ApiError, match="422"):
            await talk.api.create_chat(workspace, permissions="never")
        with pytest.raises(ApiError, match="422"):
            await talk.api.change_chat(talk.id, permissions="never")


async def test_a_refusal_that_says_why_is_the_next_thing_the_person_says(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R89: the refusal goes as the protocol has it, the words as a message before all that wait."""
    async with talking(server, workspace) as talk:
        first = await talk.send(script(ask("t1"), wait_file("go")))
        question = await talk.question()
        later = await talk.send(script(say("later")))
        await talk.answer(question, REJECT, reason="say no, rather this")
        queued = [m for m in talk.of_kind("message") if m.get("ahead")]
        (workspace / "go").touch()
        await talk.ended(first)
        await talk.ended(later)
        assert agent_log.decisions() == [REJECT]
        assert agent_log.prompts() == [script(ask("t1"), wait_file("go")), "say no, rather this", "say later"]
        assert talk.text().endswith("no, rather thislater")
        (decided,) = talk.of_kind("answer")
        assert decided["reason"] == "say no, rather this"
        assert [m["text"] for m in queued] == ["say no, rather this"]
        await talk.judge()


async def test_a_reason_with_a_yes_is_kept_and_not_sent(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(ask("t1")))
        await talk.answer(await talk.question(), ALLOW, reason="fine")
        await talk.ended(turn)
        assert len(agent_log.prompts()) == 1
        assert talk.of_kind("answer")[0]["reason"] == "fine"


async def test_a_session_of_another_chat_cannot_be_asked_for(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A45: neither with its own question nor in its name."""
    async with talking(server, workspace) as one, talking(server, workspace) as other:
        turn = await one.send(script(say("a"), wait_file("go")))
        await one.says("a")
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        params = {"sessionId": session, "toolCall": {"toolCallId": "x"}, "options": OPTIONS}
        await other.run(script(request("session/request_permission", params)))
        assert other.text() == "<error:-32602>"
        (workspace / "go").touch()
        await one.ended(turn)
        assert one.of_kind("question") == other.of_kind("question") == []


async def test_a_flood_of_questions_leaves_the_server_at_ease_and_the_turn_can_be_stopped(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A53, R86: what is too much gets no for an answer; nothing is approved."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(ask_many(1500)))
        await talk.notice("too-many-questions")
        await talk.question(1000)
        assert (await talk.api.chat(talk.id))["needs_you"] == 1000
        await talk.cancel()
        await talk.ended(turn)
        assert (await talk.api.chat(talk.id))["needs_you"] == 0
        assert len(talk.notices("too-many-questions")) == 1
        await until(lambda: len(agent_log.decisions()) == 1500, 60)
        assert set(agent_log.decisions()) == {"cancelled"}
        await talk.judge()


def tool_call(id: str, status: str, **fields: Any) -> str:
    return update({"sessionUpdate": "tool_call", "toolCallId": id, "title": id, "status": status, **fields})


def tool_changed(id: str, status: str, **fields: Any) -> str:
    return update({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status, **fields})


def unasked(talk: Talk) -> list[str]:
    rows = [row for row in talk.rows() if row.kind in ("tool-call", "tool-update")]
    return [row.data["id"] for row in rows if row.data.get("unasked")]


DIFF = [{"type": "diff", "path": "/a", "oldText": "", "newText": "x"}]


@pytest.mark.parametrize("policy", ["ask", "auto"])
async def test_an_agent_that_acts_without_asking_is_marked(
    server: ServerProcess, workspace: Path, policy: str
) -> None:
    """F32: by kind, by a diff or by a command; not what only looks, failed to change, or has not ended."""
    async with talking(server, workspace, "scripted-no-ask") as talk:
        await talk.api.change_chat(talk.id, permissions=policy)
        marked = script(
            ask("no-ask"),
            tool_call("at once", "completed", kind="delete"),
            tool_call("run", "in_progress", kind="other", rawInput={"command": "rm x"}),
            tool_changed("run", "failed"),
            tool_call("diff", "in_progress", kind="think"),
            tool_changed("diff", "completed", content=DIFF),
            tool_changed("diff", "completed", content=DIFF),
            tool_changed("never told", "completed", kind="move"),
        )
        unmarked = script(
            tool_call("reads", "completed", kind="read", rawInput={"path": "/etc"}),
            tool_call("failed", "in_progress", kind="edit"),
            tool_changed("failed", "failed"),
            tool_call("goes on", "in_progress", kind="execute"),
        )
        await talk.run(marked)
        await talk.run(unmarked)
        assert unasked(talk) == ["no-ask", "at once", "run", "diff", "never told"]
        assert talk.of_kind("question") == []
        await talk.judge()


async def test_who_asked_or_was_allowed_for_good_is_not_marked(
    server: ServerProcess, workspace: Path
) -> None:
    """F32, R85: an answer counts for its call, its turn, and, for good, for its kind in the session."""
    async with talking(server, workspace) as talk:
        done = tool_changed("t1", "completed", kind="edit", content=DIFF)
        turn = await talk.send(script(ask("t1"), done))
        await talk.answer(await talk.question(1), ALLOW)
        await talk.ended(turn)
        assert unasked(talk) == []
        await talk.run(script(tool_call("t1", "completed", kind="edit")))
        assert unasked(talk) == ["t1"]  # the same name in another turn is another call
        turn = await talk.send(script(ask("t2"), tool_changed("t2", "completed", kind="edit")))
        await talk.answer(await talk.question(2), ALWAYS)
        await talk.ended(turn)
        await server.restart(signal.SIGKILL)
        await talk.run(script(tool_call("t3", "completed", kind="edit")))
        await talk.run(script(tool_call("t4", "completed", kind="execute")))
        assert unasked(talk) == ["t1", "t4"]


async def test_every_decision_is_kept_with_exactly_what_was_asked(
    server: ServerProcess, workspace: Path, place: Path
) -> None:
    """R83, R85, R88: newest first, page by page, in one chat or in all; what is huge is whole on request."""
    async with talking(server, workspace) as talk, talking(server, workspace) as other:
        lines = [run(f"echo {number}") for number in range(5)]
        turn = await talk.send(script(*lines))
        for number in range(5):
            option, why = (REJECT, "say no") if number == 3 else (ALLOW, None)
            await talk.answer(await talk.question(number + 1), option, **({"reason": why} if why else {}))
        await talk.ended(turn)
        await other.api.change_chat(other.id, permissions="auto")
        long = "x" * 100_000
        await other.run(script(wish("big", rawInput={"path": "a.py", "content": long})))
        pages: list[Any] = []
        while page := (await talk.api.decisions(before=pages[-1]["id"] if pages else None, limit=2)):
            pages += page
        assert [d["detail"]["input"].get("command") for d in pages] == [
            None, "echo 4", "echo 3", "echo 2", "echo 1", "echo 0",
        ]  # fmt: skip
        big, four, three = pages[:3]
        assert (big["by"], big["policy"], big["chat"], big["cut"]) == ("auto", "auto", other.id, True)
        assert len(json.dumps(big)) < 20_000
        whole = await talk.api.call("GET", f"/api/decisions/{big['id']}")
        assert whole["detail"]["input"]["content"] == long
        assert (three["outcome"], three["option_id"], three["reason"]) == ("reject_once", REJECT, "say no")
        assert (four["by"], four["where"], four["agent"]) == ("person", "a script", "scripted")
        assert four["title"] == "List files"
        assert [o["kind"] for o in four["options"]] == ["allow_always", "allow_once", "reject_once"]
        assert four["asked_at"] <= four["at"]
        assert len(await talk.api.decisions(chat=talk.id)) == 5
        with pytest.raises(ApiError, match="404"):
            await talk.api.call("GET", "/api/decisions/q-none")


async def test_an_open_question_is_no_decision(server: ServerProcess, workspace: Path) -> None:
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(ask("t1")))
        await talk.question()
        assert await talk.api.decisions() == []
        await talk.cancel()
        await talk.ended(turn)
        assert [d["outcome"] for d in await talk.api.decisions()] == ["cancelled"]


async def test_a_switch_thrown_over_http_acts_on_agents_that_run(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R81, R185, A54, C1: what is open and covered is answered at once; strict turns it off at once."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run("ls"), run("make"), wait_file("go"), run("pwd")))
        await talk.question()
        await talk.api.call("PUT", "/api/settings", {"acpAutoAllowPermissions": True})
        await until(lambda: agent_log.decisions() == [ALLOW, ALLOW], 10)
        assert (await talk.sees(lambda e: "counts" in e.data))["counts"] == "auto"
        await talk.api.call("PUT", "/api/settings", {"strict": True})
        await talk.sees(lambda e: e.data.get("counts") == "ask")
        (workspace / "go").touch()
        question = await talk.question(3)
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        await talk.answer(question, REJECT)
        await talk.ended(turn)
        assert answered(talk) == [("allow_once", "auto")] * 2 + [("reject_once", "person")]


async def test_files_and_commands_done_for_an_agent_pass_the_same_policy(
    server: ServerProcess, workspace: Path
) -> None:
    """R87, R88, A25: approved and done at once under auto, but for a control file; nothing is unasked."""
    inside, control = workspace / "a.txt", workspace / ".env"
    async with talking(server, workspace) as talk:
        await talk.api.change_chat(talk.id, permissions="auto")
        writes = [
            request("fs/write_text_file", {"path": str(path), "content": "x"}) for path in (inside, control)
        ]
        runs = request("terminal/create", {"command": "touch", "args": ["b.txt"]})
        terminal = [{"type": "terminal", "terminalId": "$terminalId"}]
        ran = tool_call("ran", "completed", kind="execute", content=terminal)
        turn = await talk.send(script(runs, ran, *writes))
        await until(lambda: len(talk.of_kind("question")) == 3, 30)
        question = talk.of_kind("question")[-1]
        assert ".env" in question["detail"]["caution"]
        assert inside.read_text() == "x"
        await until((workspace / "b.txt").exists, 10)
        await talk.answer(question, "reject")
        await talk.ended(turn)
        assert answered(talk) == [("allow_once", "auto")] * 2 + [("reject_once", "person")]
        assert not control.exists()
        assert unasked(talk) == []


async def test_the_demo_asks_without_a_warning(server: ServerProcess) -> None:
    """What it writes into its file is no path, nor is its Python: a newcomer's first questions are calm."""
    async with Api(server.url, server.token) as api:
        chat = (await api.call("POST", "/api/chats", {"agent": "demo", "key": new_key()}))["id"]
        async with Viewer(server.url, server.token, chat) as viewer:
            await api.prompt(chat, "Show me what you can do.")
            seen = 0
            for _ in ("the edit", "the test run"):
                events = await viewer.read_until("question", 30, since=seen)
                seen += len(events)
                question = events[-1].data
                assert question["type"] == "permission"
                assert "caution" not in question["detail"]
                await api.answer(chat, question["id"], question["options"][0]["id"])
            await viewer.read_until("question", 30, since=seen)
            await api.cancel(chat)
            await viewer.read_turns(1, 30)


async def test_who_turns_from_the_assistant_to_an_agent_is_asked(
    server: ServerProcess, workspace: Path
) -> None:
    """R80, C1: work that is handed on is approved; that says nothing of an agent one talks to."""
    async with talking(server, workspace, mode="llm") as talk:
        assert (await talk.api.chat(talk.id))["policy"] == "auto"
        changed = await talk.api.change_chat(talk.id, mode="agent")
        assert (changed["mode"], changed["policy"]) == ("agent", "ask")
        turn = await talk.send(script(run("ls")))
        await talk.answer(await talk.question(), ALLOW)
        await talk.ended(turn)
        assert answered(talk) == [("allow_once", "person")]
        changed = await talk.api.change_chat(talk.id, mode="llm")
        assert changed["policy"] == "ask"


async def test_a_change_that_is_refused_changes_nothing(
    server: ServerProcess, workspace: Path, place: Path
) -> None:
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run("ls")))
        question = await talk.question()
        for refused in ({"workspace": str(place)}, {"workspace": str(place / "nowhere")}):
            with pytest.raises(ApiError):
                await talk.api.change_chat(talk.id, permissions="auto", title="Other", **refused)
        chat = await talk.api.chat(talk.id)
        assert (chat["policy"], chat["title"] != "Other", chat["workspace"]) == ("ask", True, str(workspace))
        await talk.answer(question, ALLOW)
        await talk.ended(turn)
        assert answered(talk) == [("allow_once", "person")]
