"""What agents may do without a person: policies, and what none of them covers.

What needs no processes: tests/runtime/consent/test_permissions.py.
"""

from __future__ import annotations

from pathlib import Path

from tests.fakes.script import (
    ALLOW,
    REJECT,
    ask_many,
    request,
    script,
    wait_file,
)
from tests.kit.clients.asking import run, tool_call
from tests.kit.clients.client import Api, new_key
from tests.kit.clients.driver import Talk, talking
from tests.kit.clients.sse import Viewer
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until


def answered(talk: Talk) -> list[tuple[str, str]]:
    return [(a["outcome"], a["by"]) for a in talk.of_kind("answer")]


async def test_a_flood_of_questions_leaves_the_server_at_ease_and_the_turn_can_be_stopped(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A53, R86: excess questions are rejected; nothing is approved."""
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


def unasked(talk: Talk) -> list[str]:
    rows = [row for row in talk.rows() if row.kind in ("tool-call", "tool-update")]
    return [row.data["id"] for row in rows if row.data.get("unasked")]


async def test_a_switch_thrown_over_http_acts_on_agents_that_run(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R81, R185, A54, C1: covered questions are answered immediately; strict turns it off immediately."""
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
    """R87, R88, A25: approved and done at once under auto, except a control file; nothing is unasked."""
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
    """File contents and Python code are not paths: a new user's first questions have no warnings."""
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
