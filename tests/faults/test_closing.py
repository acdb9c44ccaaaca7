"""Sessions that nobody will want again are closed with the agent before it is ended."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script, silent
from tests.faults.driver import SLACK, ask, talking
from tests.kit.agent_log import AgentLog
from tests.kit.assistant import assistant, chatting, delegate
from tests.kit.llm import ScriptedLlm
from tests.kit.processes import marked
from tests.kit.server import ServerProcess
from tests.kit.waiting import until


def closed(agent_log: AgentLog) -> list[Any]:
    return [frame["params"]["sessionId"] for frame in agent_log.received("session/close")]


def prompted(agent_log: AgentLog) -> list[Any]:
    return [frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")]


def nothing_is_left(server: ServerProcess, mark: str) -> bool:
    kept = list((server.data_dir / "keepers").iterdir())
    return not kept and not [found for found in marked(mark) if "scripted_agent" in found.command]


@pytest.mark.parametrize("busy", [False, True])
async def test_deleting_a_chat_closes_its_session_once(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str, busy: bool
) -> None:
    """R154, F87: at rest, and in the midst of a turn, which is stopped first."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("one"), *([silent()] if busy else [])))
        await (talk.says("one") if busy else talk.ended(turn))
        await talk.api.delete_chat(talk.id)
        assert closed(agent_log) == prompted(agent_log)
        assert len(agent_log.received("session/cancel")) == int(busy)
        assert nothing_is_left(server, mark)
        assert ask(server.database, "SELECT count(*) FROM acp_sessions") == [(0,)]
        assert "Traceback" not in server.stderr


async def test_every_named_session_of_a_deleted_chat_is_closed(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm, mark: str
) -> None:
    server = await start_server(settings=assistant(llm))
    async with chatting(server, workspace) as talk:
        await talk.run(f"{delegate(script(say('a')), 'A')}\n{delegate(script(say('b')), 'B')}\nsay end")
        await talk.api.delete_chat(talk.id)
        assert sorted(closed(agent_log)) == sorted(prompted(agent_log))
        assert nothing_is_left(server, mark)


async def test_an_agent_that_does_not_offer_it_is_not_asked_to_close(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    async with talking(server, workspace, "scripted-no-close") as talk:
        await talk.run(script(say("one")))
        await talk.api.restart(talk.id, reload=False)
        await talk.run(script(say("two")))
        await talk.api.delete_chat(talk.id)
        assert len(set(prompted(agent_log))) == 2
        assert closed(agent_log) == []
        assert nothing_is_left(server, mark)


async def test_an_agent_that_never_closes_is_ended_all_the_same(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F87: deleting is bounded in time, also when the server is killed while it waits."""
    async with talking(server, workspace, "scripted-close-hang") as talk:
        await talk.run(script(say("one")))
        begun = time.monotonic()
        await talk.api.delete_chat(talk.id)
        assert time.monotonic() - begun < 2 * SLACK
        assert closed(agent_log) == prompted(agent_log)
        assert nothing_is_left(server, mark)
    async with talking(server, workspace, "scripted-close-hang") as talk:
        await talk.run(script(say("two")))
        await talk.api.restart(talk.id, reload=False)
        await until(lambda: len(closed(agent_log)) == 2, 10)
        await server.restart()
        await talk.run(script(say("three")))
        assert len(set(prompted(agent_log))) == 3
        assert talk.processes() == ["ended", "ready"]
        assert closed(agent_log) == prompted(agent_log)[:2]


async def test_a_session_that_is_replaced_is_closed_first(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
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
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R77: what was said is kept, the prompt is not sent again, and a waiting message goes to the new one."""
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
