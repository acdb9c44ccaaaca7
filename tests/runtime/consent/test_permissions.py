"""What agents may do without a person: policies, and what none of them covers.

What needs processes: tests/stories/consent/test_permissions.py.
"""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ALLOW,
    ALWAYS,
    REJECT,
    ask,
    raw,
    request,
    say,
    script,
    update,
    wait_file,
)
from tests.kit.clients.asking import OPTIONS, run, tool_call, wish
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import Talk, talking
from tests.kit.clients.driver import ask as ask_database
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory


def answered(talk: Talk) -> list[tuple[str, str]]:
    return [(a["outcome"], a["by"]) for a in talk.of_kind("answer")]


async def test_agent_mode_asks_unless_told_otherwise(server: Server, workspace: Path) -> None:
    """R80, R82: a person is asked about every request, with the agent's own labels."""
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
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R79, R83, C8, A54: the least permissive option; the log contains exactly what was asked."""
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
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """A25, A41, A54: control files, paths outside, a change of mode, no option that allows."""
    (workspace / "out").symlink_to("/etc")
    asked = {
        wish("git", kind="edit", locations=[{"path": str(workspace / ".git/hooks/pre-commit")}]): "programs",
        wish("env", kind="read", rawInput={"file_path": ".env"}): "programs",
        run("rm -rf ../other"): "outside",
        wish("link", kind="read", rawInput={"path": "out/passwd"}): "outside",
        wish("mode", kind="switch_mode", rawInput={}): "how the agent works",
        wish("no", [OPTIONS[2]], kind="read", rawInput={"path": "a.py"}): "",
        wish("always", [OPTIONS[0], OPTIONS[2]], kind="read", rawInput={"path": "a.py"}): "",
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


async def test_what_a_call_is_named_does_not_speak_for_it(server: Server, workspace: Path) -> None:
    """A41: “List files”, of the kind “read”, that deletes everything: asked, with the real command."""
    async with talking(server, workspace) as talk:
        lies = wish("c", title="List files", kind="read", rawInput={"command": "rm -rf src"})
        turn = await talk.send(script(lies))
        question = await talk.question()
        assert (question["title"], question["detail"]["tool_kind"]) == ("List files", "read")
        assert question["detail"]["input"] == {"command": "rm -rf src"}
        assert "contradicts itself" in question["detail"]["caution"]
        assert talk.of_kind("answer") == []
        await talk.answer(question, REJECT)
        await talk.ended(turn)


async def test_a_card_warns_of_what_is_more_than_everyday_work_under_any_policy(
    server: Server, workspace: Path
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
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R81, C1: immediately, for the running agent; everything else still asks the person."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("x")))
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        frames = [
            {"jsonrpc": "2.0", "id": number, "method": "session/request_permission",
             "params": {"sessionId": session, "options": OPTIONS,
                        "toolCall": {"toolCallId": f"c{number}", "kind": "execute",
                                     "rawInput": {"command": command}}}}
            for number, command in enumerate(["ls", "cat /etc/passwd", "make"], 100)
        ]  # fmt: skip
        turn = await talk.send(script(*(raw(json.dumps(frame)) for frame in frames), wait_file("go")))
        await talk.question(3)
        await talk.api.change_chat(talk.id, permissions="auto")
        await until(lambda: agent_log.decisions() == [ALLOW, ALLOW], 10)
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        # Back to asking: open questions stay open, and the next requests are asked about.
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
    """R81, C1: also for a question that was open while the server was down; strict takes precedence."""
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


async def test_a_chat_can_begin_with_a_policy(server: Server, workspace: Path) -> None:
    """C1"""
    async with talking(server, workspace) as talk:
        made = await talk.api.create_chat(workspace, permissions="auto")
        assert made["policy"] == "auto"
        with pytest.raises(ApiError, match="422"):
            await talk.api.create_chat(workspace, permissions="never")
        with pytest.raises(ApiError, match="422"):
            await talk.api.change_chat(talk.id, permissions="never")


async def test_a_refusal_that_says_why_is_the_next_thing_the_person_says(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R89: the rejection follows the protocol; the reason becomes a message before all queued ones."""
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
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(ask("t1")))
        await talk.answer(await talk.question(), ALLOW, reason="fine")
        await talk.ended(turn)
        assert len(agent_log.prompts()) == 1
        assert talk.of_kind("answer")[0]["reason"] == "fine"


async def test_a_session_of_another_chat_cannot_be_asked_for(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """A45: neither through its own question nor in its name."""
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


def tool_changed(id: str, status: str, **fields: Any) -> str:
    return update({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status, **fields})


def unasked(talk: Talk) -> list[str]:
    rows = [row for row in talk.rows() if row.kind in ("tool-call", "tool-update")]
    return [row.data["id"] for row in rows if row.data.get("unasked")]


DIFF = [{"type": "diff", "path": "/a", "oldText": "", "newText": "x"}]


@pytest.mark.parametrize("policy", ["ask", "auto"])
async def test_an_agent_that_acts_without_asking_is_marked(
    server: Server, workspace: Path, policy: str
) -> None:
    """F32: by kind, by a diff or by a command; not calls that only read, failed, or have not ended."""
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
            tool_call("still running", "in_progress", kind="execute"),
        )
        await talk.run(marked)
        await talk.run(unmarked)
        assert unasked(talk) == ["no-ask", "at once", "run", "diff", "never told"]
        assert talk.of_kind("question") == []
        await talk.judge()


async def test_who_asked_or_was_allowed_for_good_is_not_marked(server: Server, workspace: Path) -> None:
    """F32, R85: an answer applies to its call and turn, and "always" to its kind in the session."""
    async with talking(server, workspace) as talk:
        done = tool_changed("t1", "completed", kind="edit", content=DIFF)
        turn = await talk.send(script(ask("t1"), done))
        await talk.answer(await talk.question(1), ALLOW)
        await talk.ended(turn)
        assert unasked(talk) == []
        await talk.run(script(tool_call("t1", "completed", kind="edit")))
        assert unasked(talk) == ["t1"]  # the same id in another turn is another call
        turn = await talk.send(script(ask("t2"), tool_changed("t2", "completed", kind="edit")))
        await talk.answer(await talk.question(2), ALWAYS)
        await talk.ended(turn)
        await server.restart(signal.SIGKILL)
        await talk.run(script(tool_call("t3", "completed", kind="edit")))
        await talk.run(script(tool_call("t4", "completed", kind="execute")))
        assert unasked(talk) == ["t1", "t4"]


async def test_every_decision_is_kept_with_exactly_what_was_asked(
    server: Server, workspace: Path, place: Path
) -> None:
    """R83, R85, R88: newest first, page by page, in one chat or in all; large details on request."""
    async with talking(server, workspace) as talk, talking(server, workspace) as other:
        lines = [run(f"echo {number}") for number in range(5)]
        turn = await talk.send(script(*lines))
        for number in range(5):
            option, why = (REJECT, "say no") if number == 3 else (ALLOW, None)
            await talk.answer(await talk.question(number + 1), option, **({"reason": why} if why else {}))
        await talk.ended(turn)
        await other.api.change_chat(other.id, permissions="auto")
        long = "x" * 100_000
        await other.run(script(wish("big", kind="edit", rawInput={"path": "a.py", "content": long})))
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
        assert four["title"] == "echo 4"
        assert [o["kind"] for o in four["options"]] == ["allow_always", "allow_once", "reject_once"]
        assert four["asked_at"] <= four["at"]
        assert len(await talk.api.decisions(chat=talk.id)) == 5
        with pytest.raises(ApiError, match="404"):
            await talk.api.call("GET", "/api/decisions/q-none")


async def test_an_open_question_is_no_decision(server: Server, workspace: Path) -> None:
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(ask("t1")))
        await talk.question()
        assert await talk.api.decisions() == []
        await talk.cancel()
        await talk.ended(turn)
        assert [d["outcome"] for d in await talk.api.decisions()] == ["cancelled"]


async def test_who_turns_from_the_assistant_to_an_agent_is_asked(server: Server, workspace: Path) -> None:
    """R80, C1: delegated work is approved; that does not apply to an agent in its own chat."""
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


async def test_a_change_that_is_refused_changes_nothing(server: Server, workspace: Path, place: Path) -> None:
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


async def test_what_has_no_known_name_or_shape_is_shown_as_it_came(server: Server, workspace: Path) -> None:
    """Next to the call too; a person can read what we cannot parse."""
    call = {"toolCallId": "x", "title": {"a": "b"}, "kind": "read", "content": ["words"], "locations": "/etc"}
    params = {"toolCall": call, "options": OPTIONS, "command": "evil", "_meta": {"a": 1}}
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(request("session/request_permission", params)))
        question = await talk.question()
        shown = {key: call[key] for key in ("title", "content", "locations")}
        assert question["detail"]["more"] == {**shown, "command": "evil", "_meta": {"a": 1}}
        await talk.answer(question, REJECT)
        await talk.ended(turn)


async def test_a_variable_with_a_nul_is_refused(server: Server, workspace: Path) -> None:
    async with talking(server, workspace) as talk:
        env = [{"name": "A", "value": "b\0--bind"}]
        await talk.run(script(request("terminal/create", {"command": "true", "env": env})))
        assert not talk.of_kind("question")
