"""Lines on which our own steps fail, for whatever reason: the chat continues without them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import raw, say, script, wait_file
from tests.kit.clients.driver import talking
from tests.kit.peers.agent_log import AgentLog

FAILS_ON_A_LINE = """
from voxpilot.agents.requests import dialogue

hear_update = dialogue._hear_update


def fail(ledger, process_id, params, line, at):
    if b"poison" in line:
        raise RuntimeError("poison")
    return hear_update(ledger, process_id, params, line, at)


dialogue._hear_update = fail
"""
FAILS_AFTERWARDS = """
from voxpilot.storage.chats.ledger import Ledger

take = Ledger.take


def fail(self, now):
    step = take(self, now)
    if any(event.kind == "text-delta" and b"poison" in event.body for event in step.events):
        raise RuntimeError("poison")
    return step


Ledger.take = fail
"""


@pytest.mark.parametrize("fault", [FAILS_ON_A_LINE, FAILS_AFTERWARDS])
async def test_what_cannot_be_taken_in_is_passed_over(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, place: Path, fault: str
) -> None:
    """A line that always fails is reported once, and later lines are not lost."""
    (place / "faulty").mkdir()
    (place / "faulty" / "sitecustomize.py").write_text(fault)
    server = await start_server(env={"PYTHONPATH": str(place / "faulty")})
    async with talking(server, workspace) as talk:
        await talk.run(script(say("first.")))
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        line = (
            '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":'
            '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"poison"}}}}'
        )
        turn = await talk.send(
            script(say("before."), wait_file("now"), raw(line % session), wait_file("go"), say("after."))
        )
        await talk.says("before.")
        (workspace / "now").touch()
        notice = await talk.notice("passed-over")
        assert "poison" in notice["detail"]
        (workspace / "go").touch()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert (await talk.run(script(say("more."))))["stop_reason"] == "end_turn"
        await talk.judge(text="first.before.after.more.")
        assert len(talk.notices("passed-over")) == 1
        assert server.stderr.count("RuntimeError: poison") <= 3
        await talk.api.delete_chat(talk.id)


async def test_a_line_is_passed_over_alone_and_not_its_neighbours(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, place: Path
) -> None:
    """The answer to the prompt arrives at the same time, and ends the turn."""
    (place / "faulty").mkdir()
    (place / "faulty" / "sitecustomize.py").write_text(FAILS_ON_A_LINE)
    server = await start_server(env={"PYTHONPATH": str(place / "faulty")})
    async with talking(server, workspace) as talk:
        await talk.run(script(say("first.")))
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        odd = {"sessionId": session, "update": "poison"}
        line = json.dumps({"method": "session/update", "params": odd})
        ended = await talk.run(script(say("before."), raw(line), say("after.")))
        assert ended["stop_reason"] == "end_turn"
        assert len(talk.notices("passed-over")) == 1
        await talk.judge(text="first.before.after.")
