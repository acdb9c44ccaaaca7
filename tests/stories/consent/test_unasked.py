"""What a chat that approves by itself does with hostile and everyday calls, through the real server.

What needs no processes: tests/runtime/consent/test_unasked.py.
"""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

from tests.fakes.script import ALLOW, ALWAYS, REJECT, raw, request, say, script, wait_file
from tests.kit.clients.driver import Talk, talking
from tests.kit.oracles.unasked import Call
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess

OPTIONS = [
    {"optionId": ALWAYS, "name": "Always", "kind": "allow_always"},
    {"optionId": ALLOW, "name": "Allow", "kind": "allow_once"},
    {"optionId": REJECT, "name": "Reject", "kind": "reject_once"},
]


def wish(number: int | str, call: Call, session: str) -> str:
    params = {"sessionId": session, "toolCall": {"toolCallId": f"c{number}", **call}, "options": OPTIONS}
    frame = {"jsonrpc": "2.0", "id": f"w{number}", "method": "session/request_permission", "params": params}
    return raw(json.dumps(frame))


async def session_of(talk: Talk, agent_log: AgentLog) -> str:
    await talk.api.change_chat(talk.id, permissions="auto")
    await talk.run(script(say("x")))
    return str(agent_log.received("session/prompt")[-1]["params"]["sessionId"])


def approved(talk: Talk) -> list[str]:
    """The questions that were approved without a person."""
    return [a["question_id"] for a in talk.of_kind("answer") if a["by"] == "auto"]


ENV = [
    [{"name": "LD_PRELOAD", "value": "./x.so"}], [{"name": "PATH", "value": "."}], [{"name": "BASH_ENV", "value": "a.sh"}],
    [{"name": "GIT_SSH_COMMAND", "value": "id"}], [{"name": "PYTHONPATH", "value": "."}], [{"name": "NODE_OPTIONS", "value": "-r x"}],
    [{"name": "LC_EVIL", "value": "x"}], [{"name": "CI", "value": "1"}, {"name": "IFS", "value": "/"}], [{"name": "CI", "value": "$(id)"}],
]  # fmt: skip


async def test_variables_of_a_command_are_judged_and_shown(server: ServerProcess, workspace: Path) -> None:
    """A3: whatever could change which program runs is asked about; the question has the whole request."""
    async with talking(server, workspace) as talk:
        await talk.api.change_chat(talk.id, permissions="auto")
        calm = {"command": "ls", "env": [{"name": "CI", "value": "1"}], "outputByteLimit": 1000}
        await talk.run(script(request("terminal/create", calm)))
        assert len(approved(talk)) == 1
        for number, env in enumerate(ENV, 2):
            turn = await talk.send(script(request("terminal/create", {"command": "ls", "env": env})))
            question = await talk.question(number)
            shown = question["detail"]["input"]
            assert shown["env"] == {one["name"]: one["value"] for one in env}
            assert shown["cwd"] == str(workspace)
            assert question["detail"]["unclear"]
            await talk.answer(question, "reject")
            await talk.ended(turn)
        assert len(approved(talk)) == 1


HUGE = ["$/" * 100_000, "git -a " * 28_000, "'" * 200_000, "a.py; " * 33_000]


async def test_a_huge_command_in_a_question_holds_nobody_up(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """Not after a restart either, while it is still open."""
    async with talking(server, workspace) as talk, talking(server, workspace) as other:
        session = await session_of(talk, agent_log)
        asks = [wish(number, call_with(text), session) for number, text in enumerate(HUGE)]
        turn = await talk.send(script(*asks, wait_file("go")))
        await talk.question(len(asks))
        assert approved(talk) == []
        assert await answers_within(other) < 2
        await server.restart(signal.SIGKILL)
        assert await answers_within(other) < 5  # with the agent's start
        assert await answers_within(other) < 2
        (workspace / "go").touch()
        await talk.ended(turn)


def call_with(text: str) -> Call:
    return {"kind": "execute", "title": "ls", "rawInput": {"command": text}}


async def answers_within(talk: Talk) -> float:
    started = time.monotonic()
    await talk.run(script(say("x")))
    return time.monotonic() - started
