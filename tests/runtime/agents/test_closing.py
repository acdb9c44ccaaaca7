"""Sessions that nobody will want again are closed with the agent before it is ended.

What needs processes: tests/faults/agents/test_closing.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import say, script, silent
from tests.kit.clients.driver import ask, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory


def closed(agent_log: AgentLog) -> list[Any]:
    return [frame["params"]["sessionId"] for frame in agent_log.received("session/close")]


def prompted(agent_log: AgentLog) -> list[Any]:
    return [frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")]


@pytest.mark.parametrize("busy", [False, True])
async def test_deleting_a_chat_closes_its_session_once(
    server: Server, workspace: Path, agent_log: AgentLog, busy: bool
) -> None:
    """R154, F87: while idle, and in the middle of a turn, which is stopped first."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("one"), *([silent()] if busy else [])))
        await (talk.says("one") if busy else talk.ended(turn))
        await talk.api.delete_chat(talk.id)
        assert closed(agent_log) == prompted(agent_log)
        assert len(agent_log.received("session/cancel")) == int(busy)
        assert server.running_agents() == []
        left = "SELECT count(*) FROM acp_sessions"
        await until(lambda: ask(server.database, left) == [(0,)], 30, "its rows are still there")
        assert "Traceback" not in server.stderr


async def test_an_agent_that_does_not_offer_it_is_not_asked_to_close(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    async with talking(server, workspace, "scripted-no-close") as talk:
        await talk.run(script(say("one")))
        await talk.api.restart(talk.id, reload=False)
        await talk.run(script(say("two")))
        await talk.api.delete_chat(talk.id)
        assert len(set(prompted(agent_log))) == 2
        assert closed(agent_log) == []
        assert server.running_agents() == []


async def test_a_session_that_is_replaced_is_closed_first(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R76, R78: with a new session the old one is closed, once; with its own session nothing is."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("one")))
        await talk.api.restart(talk.id, reload=True)
        await talk.run(script(say("two")))
        assert closed(agent_log) == []
        await talk.api.restart(talk.id, reload=False)
        await until(lambda: len(agent_log.received("session/new")) == 2, 20)
        await talk.run(script(say("three")))
        old, same, new = prompted(agent_log)
        assert old == same != new
        assert closed(agent_log) == [old]
        assert not talk.of_kind("unknown")
        await talk.judge(text="onetwothree")


async def test_a_new_session_in_the_midst_of_a_turn_ends_it(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """R77: the text is kept, the prompt is not sent again, and a queued message goes to the new session."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("one"), silent()))
        await talk.says("one")
        waiting = await talk.send(script(say("two")))
        await talk.api.restart(talk.id, reload=False)
        assert (await talk.ended(turn))["stop_reason"] in ("cancelled", "interrupted")
        assert (await talk.ended(waiting))["stop_reason"] == "end_turn"
        old, new = prompted(agent_log)
        assert old != new
        assert closed(agent_log) == [old]
        await talk.judge(text="onetwo")
