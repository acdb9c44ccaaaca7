"""Files read and written for agents: shown, agreed to, done once, and only inside the chat's folder.

What needs processes: tests/faults/callbacks/test_files.py.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import ask, raw, request, say, script, update, wait_file
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

READ, WRITE = "fs/read_text_file", "fs/write_text_file"


def read(path: Path | str, **more: Any) -> str:
    return request(READ, {"path": str(path), **more})


def write(path: Path | str, content: str) -> str:
    return request(WRITE, {"path": str(path), "content": content})


def calls(talk: Talk) -> list[dict[str, Any]]:
    """Every stored tool call, folded."""
    found: dict[str, dict[str, Any]] = {}
    for row in talk.rows():
        if row.kind in ("tool-call", "tool-update"):
            found.setdefault(row.data["id"], {}).update(row.data)
    return list(found.values())


async def test_an_agent_gets_what_is_in_a_file_and_the_reading_is_shown(
    server: Server, workspace: Path
) -> None:
    """R17, R88, R90, V30: whole or in part, from line 1; each reading is shown, and nobody is asked."""
    path = workspace / "notes.txt"
    path.write_text("one\ntwo\nthree\n")
    async with talking(server, workspace) as talk:
        steps = [read(path), read(path, line=2, limit=1), read(path, line=0, limit=1), read(path, line=9)]
        await talk.run(script(*steps))
        texts = ["one\ntwo\nthree\n", "two\n", "one\n", ""]
        said = "".join(f"<result:{json.dumps({'content': text}, separators=(',', ':'))}>" for text in texts)
        await talk.judge(text=said)
        assert talk.of_kind("question") == []
        assert [(call["tool_kind"], call["status"]) for call in calls(talk)] == [("read", "completed")] * 4
        assert calls(talk)[1]["locations"] == [{"path": str(path), "line": 2}]
        assert all(call["turn"] for call in calls(talk))


async def test_a_write_that_is_rejected_changes_nothing_and_the_agent_is_told_once(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R87, R88, R91: nothing is written unless somebody agrees."""
    path = workspace / "new" / "file.txt"
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(write(path, "text"), say("on")))
        question = await talk.question()
        assert question["detail"]["content"][0]["oldText"] is None
        await talk.answer(question, "reject", reason="not there")
        await talk.ended(turn)
        answers = [frame for frame in agent_log.received() if "method" not in frame and "error" in frame]
        assert [frame["error"]["message"] for frame in answers] == ["the user rejected this: not there"]
        assert list(workspace.iterdir()) == []
        assert [call["status"] for call in calls(talk)] == ["failed"]
        await talk.judge(text="<error:-32001>on")


async def test_stopping_the_turn_answers_the_question_and_writes_nothing(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R91: cancelled, not approved; and after the turn nobody can be asked."""
    path = workspace / "file.txt"
    async with talking(server, workspace, "scripted-ignore-cancel") as talk:
        turn = await talk.send(script(write(path, "one"), write(path, "two"), say("end")))
        await talk.question()
        await talk.cancel()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert len(talk.of_kind("question")) == 1
        assert list(workspace.iterdir()) == []
        await talk.judge(text="<error:-32800><error:-32800>end")


async def test_a_call_the_agent_announced_is_not_shown_twice(server: Server, workspace: Path) -> None:
    """R88: our part belongs to the agent's own call for the same file."""
    path = workspace / "file.txt"
    path.write_text("text")
    announced = {
        "sessionUpdate": "tool_call",
        "toolCallId": "own",
        "title": "Edit file.txt",
        "kind": "edit",
        "status": "in_progress",
        "locations": [{"path": str(path)}],
    }
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(update(announced), read(path), write(path, "new"), say("end")))
        question = await talk.question()
        assert question["detail"]["tool"] == "own"
        await talk.answer(question, "allow")
        await talk.ended(turn)
        assert [call["id"] for call in calls(talk)] == ["own"]
        assert path.read_text() == "new"


async def test_nonsense_is_refused_and_flags_that_would_widen_access_are_ignored(
    server: Server, workspace: Path, place: Path
) -> None:
    """A20"""
    (place / "secret.txt").write_text("secret")
    (workspace / "x").write_text("x")
    wrong: list[dict[str, Any]] = [
        {},
        {"path": 7},
        {"path": None},
        {"path": str(workspace / "x"), "line": -1},
        {"path": str(workspace / "x"), "line": "1"},
        {"path": str(workspace / "x"), "limit": 1.5},
        {"path": str(place / "secret.txt"), "allowOutside": True, "root": "/", "cwd": "/", "roots": ["/"]},
    ]
    unwritable: list[dict[str, Any]] = [
        {"path": str(workspace / "y")},
        {"path": str(workspace / "y"), "content": 1},
    ]
    async with talking(server, workspace) as talk:
        steps = [
            *(request(READ, params) for params in wrong),
            *(request(WRITE, params) for params in unwritable),
        ]
        await talk.run(script(*steps))
        await talk.judge(text="<error:-32602>" * (len(wrong) + len(unwritable)))
        assert os.listdir(workspace) == ["x"]


async def test_the_session_of_another_chat_is_refused(
    server: Server, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A45: even if that session is real, on the same server, in a folder that contains the file."""
    other = place / "other"
    other.mkdir()
    (other / "x").write_text("x")
    async with talking(server, other) as one, talking(server, workspace) as two:
        await one.run(script(say("hello")))
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        for method, more in ((READ, {}), (WRITE, {"content": "evil"})):
            stray = {"sessionId": session, "path": str(other / "x"), **more}
            frame = {"jsonrpc": "2.0", "id": method, "method": method, "params": stray}
            await two.run(script(raw(json.dumps(frame)), say("x")))
        await until(lambda: sum("error" in frame for frame in agent_log.received()) == 2, 10)
        errors = [(frame["id"], frame["error"]["code"]) for frame in agent_log.received() if "error" in frame]
        assert errors == [(READ, -32602), (WRITE, -32602)]
        assert (other / "x").read_text() == "x"


async def test_a_file_changed_behind_the_agents_back_is_shown_as_a_conflict(
    server: Server, workspace: Path
) -> None:
    """F89: a person sees what would be lost, and decides."""
    path = workspace / "file.txt"
    path.write_text("old\n")
    async with talking(server, workspace) as talk:
        turn = await talk.send(
            script(read(path), wait_file("edited"), write(path, "new\n"), write(path, "newer\n"))
        )
        await talk.says("old")
        path.write_text("by a person\n")
        (workspace / "edited").touch()
        question = await talk.question()
        assert "changed since" in question["detail"]["caution"]
        assert question["detail"]["content"][0]["oldText"] == "by a person\n"
        assert question["detail"]["from_disk"] is True, "so that unchanged lines may be folded"
        await talk.answer(question, "allow")
        second = await talk.question(2)
        assert "caution" not in second["detail"], "the agent knows what it wrote itself"
        path.write_text("again by a person\n")
        await talk.answer(second, "allow")
        await talk.ended(turn)
        assert path.read_text() == "again by a person\n", "another change was approved"
        await talk.judge(text='<result:{"content":"old\\n"}><result:{}><error:-32602>')
        assert "changed since it was read" in calls(talk)[-1]["output"]


async def test_what_is_switched_off_is_neither_offered_nor_done(
    start_server: StartServer, workspace: Path, place: Path
) -> None:
    """R92, R93, C15: the flags are off, and an agent that edits by itself still asks and shows its diff."""
    log = AgentLog(place / "off.jsonl")
    server = await start_server(agents={"off": {**scripted(log=log.path), "fs": False, "terminal": False}})
    (workspace / "x").write_text("x")
    async with talking(server, workspace, "off") as talk:
        path = workspace / "x"
        command = request("terminal/create", {"command": "true"})
        diff = {"type": "diff", "path": str(path), "oldText": "x", "newText": "y"}
        call = {
            "sessionUpdate": "tool_call",
            "toolCallId": "e",
            "title": "Edit x",
            "kind": "edit",
            "content": [diff],
        }
        turn = await talk.send(
            script(read(path), write(path, "y"), command, update(call), ask("e", "Edit x?"))
        )
        question = await talk.question()
        assert question["detail"]["content"] == [diff]
        await talk.answer(question, "opt-allow")
        await talk.ended(turn)
        await talk.judge(text="<error:-32601>" * 3 + "<answer:opt-allow>")
        (begun,) = log.received("initialize")
        offered = begun["params"]["clientCapabilities"]
        assert offered["fs"] == {"readTextFile": False, "writeTextFile": False}
        assert offered["terminal"] is False


async def test_what_is_offered_is_told(server: Server, workspace: Path, agent_log: AgentLog) -> None:
    """R92, R98, C15"""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("x")))
        (begun,) = agent_log.received("initialize")
        assert begun["params"]["clientCapabilities"]["fs"] == {"readTextFile": True, "writeTextFile": True}
        assert begun["params"]["clientCapabilities"]["terminal"] is True


async def test_files_are_read_in_the_order_they_are_asked_for(server: Server, workspace: Path) -> None:
    """R90: fifty files of which only the first line is wanted."""
    for number in range(50):
        (workspace / f"{number}").write_text(f"{number}\n" + "x" * 200_000)
    async with talking(server, workspace) as talk:
        await talk.run(script(*(read(workspace / f"{number}", limit=1) for number in range(50))))
        await talk.judge(text="".join(f'<result:{{"content":"{number}\\n"}}>' for number in range(50)))


async def test_a_restart_in_good_order_keeps_an_open_question(server: Server, workspace: Path) -> None:
    """R87: like every question, this one survives."""
    path = workspace / "file.txt"
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(write(path, "new"), say("end")))
        question = await talk.question()
        await server.restart(signal.SIGTERM)
        await until(lambda: not path.exists(), 5)
        await talk.answer(question, "allow")
        await talk.ended(turn)
        assert path.read_text() == "new"
        await talk.judge(text="<result:{}>end")
