"""An agent whose command was changed behind a person's back is not started before the person agrees.

What needs processes: tests/stories/consent/test_changed_commands.py.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import say, script
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.own_agents import mine, tamper
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

HELLO = script(say("hello"))


def asked(talk: Talk) -> list[dict[str, Any]]:
    return [question for question in talk.of_kind("question") if question["type"] == "confirm"]


@pytest.fixture
async def server(start_server: StartServer, place: Path, agent_log: AgentLog) -> Server:
    return await start_server(agents={"mine": mine(place, agent_log)})


async def test_what_a_person_changes_on_the_page_is_not_asked_about(
    server: Server, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A46: but it does not approve earlier changes by somebody else."""
    async with talking(server, workspace, "mine") as talk:
        await talk.run(HELLO)
        await talk.api.call("PUT", "/api/agents/mine", {"args": mine(place, agent_log, "2")["args"]})
        await talk.api.restart(talk.id, reload=True)
        await talk.run(HELLO)
        await talk.api.call("PUT", "/api/settings", {"crash_limit": 7})
        await talk.api.restart(talk.id, reload=True)
        await talk.run(HELLO)
        assert asked(talk) == []
        await tamper(server, talk.api, '"--agent-version", "2"', '"--agent-version", "3"')
        await talk.api.call("PUT", "/api/agents/mine", {"display_name": "My own"})
        await talk.api.restart(talk.id, reload=True)
        await talk.question()
        await tamper(server, talk.api, '"--agent-version", "3"', '"--agent-version", "2"')
        await talk.run(HELLO)  # as approved: no answer is needed
        assert [answer["by"] for answer in talk.of_kind("answer")] == ["rule"]


async def test_a_command_that_changes_again_is_not_the_one_agreed_to(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """A46: the answer applies to what was shown."""
    async with talking(server, workspace, "mine") as talk:
        await talk.run(HELLO)
        await tamper(server, talk.api, '"MY_KEY" = "canary"', '"MY_KEY" = "two"')
        await talk.api.restart(talk.id, reload=True)
        first = await talk.question()
        await tamper(server, talk.api, '"MY_KEY" = "two"', '"MY_KEY" = "three"')
        second = await talk.question(2)
        with pytest.raises(ApiError):
            await talk.answer(first, "start")
        assert len(agent_log.starts()) == 1
        await talk.answer(second, "start")
        await talk.run(HELLO)
        assert len(agent_log.starts()) == 2


async def test_an_agreement_that_could_not_be_stored_was_not_given(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """A46: it starts nothing, and the question stays open until it is answered again."""
    async with talking(server, workspace, "mine") as talk:
        await talk.run(HELLO)
        await tamper(server, talk.api, '"--agent-version", "1"', '"--agent-version", "2"')
        await talk.api.restart(talk.id, reload=True)
        question = await talk.question()
        refuse = "ON agreed_commands BEGIN SELECT RAISE(ABORT, 'no room'); END"
        for verb in ("INSERT", "UPDATE"):
            write(server, f"CREATE TRIGGER no_{verb} BEFORE {verb} {refuse}")
        with pytest.raises(ApiError):
            await talk.answer(question, "start")
        await talk.api.call("PATCH", f"/api/chats/{talk.id}", {"title": "one more step"})
        assert (await talk.api.chat(talk.id))["needs_you"] == 1
        assert talk.of_kind("answer") == []
        for verb in ("INSERT", "UPDATE"):
            write(server, f"DROP TRIGGER no_{verb}")
        await talk.answer(question, "start")
        await talk.run(HELLO)
        assert len(agent_log.starts()) == 2
        await server.restart()
        await talk.api.restart(talk.id, reload=True)
        await talk.run(HELLO)
        assert len(asked(talk)) == 1


def write(server: Server, sql: str) -> None:
    with closing(sqlite3.connect(server.database, timeout=10)) as connection:
        connection.execute(sql)


async def test_an_earlier_agreement_does_not_count_after_a_later_one(
    server: Server, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A46: the chat in which it was approved asks again like any other."""
    async with talking(server, workspace, "mine") as talk:
        await talk.run(HELLO)
        await tamper(server, talk.api, '"--agent-version", "1"', '"--agent-version", "2"')
        await talk.api.restart(talk.id, reload=True)
        await talk.answer(await talk.question(), "start")
        await talk.run(HELLO)
        await talk.api.call("PUT", "/api/agents/mine", {"args": mine(place, agent_log, "3")["args"]})
        await tamper(server, talk.api, '"--agent-version", "3"', '"--agent-version", "2"')
        await talk.api.restart(talk.id, reload=True)
        question = await talk.question(2)
        assert "--agent-version 3" in question["detail"]["before"]
        assert len(agent_log.starts()) == 2
        await talk.answer(question, "start")
        await talk.run(HELLO)
        assert len(agent_log.starts()) == 3


async def test_a_command_that_changes_while_the_start_waits_in_line_is_asked_about(
    start_server: StartServer, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A46: what was approved when it joined the queue is not what would be started now."""
    server = await start_server(agents={"mine": mine(place, agent_log)}, settings={"concurrent_starts": 1})
    async with (
        talking(server, workspace, "mine") as talk,
        talking(server, workspace, "scripted-hang-init") as hanging,
        talking(server, workspace, "mine") as waiting,
    ):
        await talk.run(HELLO)
        held = await hanging.send(HELLO)
        await until(lambda: len(agent_log.starts()) == 2, 30)
        turn = await waiting.send(HELLO)
        await until(lambda: waiting.processes() == ["waiting"], 30)
        await tamper(server, talk.api, '"--agent-version", "1"', '"--agent-version", "2"')
        await hanging.cancel()
        await hanging.ended(held)
        question = await waiting.question()
        assert "--agent-version 2" in question["detail"]["text"]
        assert waiting.processes() == ["ended"]
        assert len(agent_log.starts()) == 2
        await waiting.answer(question, "start")
        assert (await waiting.ended(turn))["stop_reason"] == "end_turn"
        await waiting.judge(text="hello")
