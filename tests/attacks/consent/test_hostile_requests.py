"""Requests with which an agent tries to be approved unasked, or to keep a person from being asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import ALLOW, REJECT, raw, request, say, script, wait_file
from tests.kit.clients.driver import Talk, talking
from tests.kit.memory.loop import MemoryLoop
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

OPTIONS = [
    {"optionId": ALLOW, "name": "Allow", "kind": "allow_once"},
    {"optionId": REJECT, "name": "Reject", "kind": "reject_once"},
]
LS = {"kind": "execute", "title": "Run", "rawInput": {"command": "ls"}}
MANY = [f"f{n}" for n in range(3_000)]
PLACES = [{"path": path} for path in reversed(MANY)]


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return ("asyncio", {"loop_factory": MemoryLoop})


def wish(id: str, call: dict[str, Any], session: str) -> str:
    params = {"sessionId": session, "toolCall": {"toolCallId": id, **call}, "options": OPTIONS}
    return raw(
        json.dumps(
            {"jsonrpc": "2.0", "id": f"w{id}", "method": "session/request_permission", "params": params}
        )
    )


def told(id: str, session: str, **call: Any) -> str:
    update = {"sessionUpdate": "tool_call", "toolCallId": id, "title": "Run", "kind": "execute", **call}
    frame = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}}
    return raw(json.dumps(frame))


async def session_of(talk: Talk, agent_log: AgentLog) -> str:
    await talk.api.change_chat(talk.id, permissions="auto")
    await talk.run(script(say("x")))
    return str(agent_log.received("session/prompt")[-1]["params"]["sessionId"])


def approved(talk: Talk) -> int:
    return len([answer for answer in talk.of_kind("answer") if answer["by"] == "auto"])


@pytest.mark.parametrize(
    "call",
    [
        {**LS, "rawInput": {"command": "ls", "commands": 5}},
        {**LS, "rawInput": {"command": "&&".join(["ls"] * 4_900)}},
        {**LS, "rawInput": {"command": ";".join(["ls"] * 6_000)}},
        {"kind": "edit", "title": "x", "rawInput": {"paths": MANY}, "locations": PLACES},
        {"kind": "search", "title": "x", "rawInput": {"path": ".", "glob": "." + "*a" * 200_000 + "b"}},
        {**LS, "script": "rm -rf ~"},
        {**LS, "_meta": {"run": "rm -rf ~"}},
    ],
    ids=["type", "nesting", "length", "paths", "glob", "field", "meta"],
)  # fmt: skip
async def test_a_request_that_cannot_be_judged_is_shown_and_answered(
    server: Server, workspace: Path, agent_log: AgentLog, call: dict[str, Any]
) -> None:
    """A3, A53: it waits for a person, the card says why, and the next request is handled as usual."""
    async with talking(server, workspace) as talk:
        session = await session_of(talk, agent_log)
        turn = await talk.send(script(wish("a", call, session), wish("b", LS, session), wait_file("go")))
        await until(lambda: approved(talk) == 1, 10)
        first = talk.of_kind("question")[0]
        assert first["detail"].get("unclear") or first["detail"].get("caution")
        await talk.answer(first, REJECT)
        (workspace / "go").touch()
        await talk.ended(turn)
        assert sorted(agent_log.decisions()) == sorted([ALLOW, REJECT])


async def test_a_command_that_cannot_be_judged_is_shown(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """A53: the step that asks about it must not fail again and again."""
    async with talking(server, workspace) as talk:
        await session_of(talk, agent_log)
        turn = await talk.send(script(request("terminal/create", {"command": "&&".join(["ls"] * 1_500)})))
        question = await talk.question(1)
        assert "too many parts" in question["detail"]["unclear"]
        await talk.cancel()
        await talk.ended(turn)


async def test_a_call_that_was_announced_as_another_is_asked_about(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """A3: another field for the command, a diff of another file, a command that only the title showed."""
    passwd = {"type": "diff", "path": "/etc/passwd", "oldText": None, "newText": "x"}
    async with talking(server, workspace) as talk:
        session = await session_of(talk, agent_log)
        turn = await talk.send(
            script(
                told("a", session, rawInput={"command": "rm -rf ~"}),
                wish("a", {**LS, "rawInput": {"cmd": "ls"}}, session),
                told("b", session, kind="edit", title="Edit", content=[passwd]),
                wish(
                    "b", {"kind": "edit", "title": "Edit", "content": [{**passwd, "path": "x.py"}]}, session
                ),
                told("c", session, title="`rm -rf ~`"),
                wish("c", LS, session),
                wait_file("never"),
            )
        )
        await talk.question(3)
        assert all("differently" in q["detail"]["caution"] for q in talk.of_kind("question"))
        await talk.cancel()
        await talk.ended(turn)
        assert approved(talk) == 0
