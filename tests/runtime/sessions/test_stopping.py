"""Stop means stop: one end for every turn, also when the agent does not listen.

What needs processes: tests/faults/sessions/test_stopping.py.
"""

from __future__ import annotations

import random
from pathlib import Path

import anyio
import pytest

from tests.fakes.script import (
    say,
    script,
    silent,
    touch,
    wait_file,
)
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import LONG_SECONDS, NIGHTLY, SLACK, Talk, ask, talking
from tests.kit.clients.sse import Event
from tests.kit.clients.stop_race import stop_at_the_end
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

RACES = 5_000 if NIGHTLY else 200
CHATS = 4


def stopping(event: Event) -> bool:
    return event.kind == "notice" and event.data["code"] == "stopping"


def process_states(server: Server, chat: str) -> list[str]:
    sql = "SELECT state FROM agent_processes WHERE chat_id = ? ORDER BY started_at"
    return [state for (state,) in ask(server.database, sql, chat)]


def turn_state(server: Server, turn: str) -> str:
    return str(ask(server.database, "SELECT state FROM turns WHERE id = ?", turn)[0][0])


async def stop(talk: Talk) -> None:
    """Stop the running turn, and see that it is being stopped."""
    await talk.cancel()
    await talk.sees(stopping)


async def test_what_was_queued_behind_a_forced_stop_is_not_lost(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F27: the next message goes to a new process, even though the old one was still exiting."""
    server = await start_server(env={"VOXPILOT_CANCEL_TIMEOUT": "0.2", "VOXPILOT_QUIET_TIME": "0"})
    agents_prompt = script(say("one"), touch("said"), silent())
    async with talking(server, workspace, "scripted-ignore-cancel") as talk:
        first = await talk.send(agents_prompt)
        await until((workspace / "said").exists, 30)
        second = await talk.send(script(say("two")))
        third = await talk.send(script(say("three")))
        await talk.cancel()
        for turn in (first, second, third):
            await talk.ended(turn)
        assert talk.states() == ["cancelled", "done", "done"]
        assert agent_log.prompts() == [agents_prompt, script(say("two")), script(say("three"))]
        await talk.judge(text="onetwothree")


async def test_a_message_that_meets_an_agent_on_its_way_out_starts_it_again(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F85: the idle agent is slow to exit, and the message waits for it."""
    kept = ["--store", str(agent_log.path.parent / "agent")]
    slow = scripted("ignore-eof", log=agent_log.path, options=kept)
    server = await start_server(agents={"slow": slow}, env={"VOXPILOT_COPILOT_CONNECTION_TTL": "0.3"})
    async with talking(server, workspace, "slow") as talk:
        await talk.run(script(say("one")))
        chat = talk.id
    async with talking(server, workspace) as other:
        await until(lambda: process_states(server, chat) == ["stopping"], 10)
        posted = await other.api.prompt(chat, script(say("two")))
        await until(lambda: turn_state(server, posted["turn"]) not in ("queued", "running"), 30)
        assert turn_state(server, posted["turn"]) == "done"
        assert agent_log.prompts() == [script(say("one")), script(say("two"))]
        assert len(agent_log.starts()) == 2


async def test_a_silent_agent_is_left_alone_and_can_be_stopped(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F18: the chat shows when the last sign of life was, and viewing it changes nothing."""
    async with talking(server, workspace, "scripted-silent") as talk:
        turn = await talk.send(script(say("never")))
        await until(lambda: len(agent_log.prompts()) == 1, 30)
        await talk.sees(lambda e: e.kind == "agent-status" and e.data["status"] == "busy")
        last = talk.rows()[-1].data["at"]
        for _ in range(20):
            shown = await talk.api.chat(talk.id)
            assert shown["running"]
            assert abs(shown["updated_at"] - last) < 0.05 * SLACK
        await stop(talk)
        assert (await talk.ended(turn, 5 * SLACK))["stop_reason"] == "cancelled"
        assert server.running_agents() == agent_log.starts()
        await talk.judge(text="")


async def test_a_turn_stopped_before_its_prompt_went_out_is_never_sent(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """K7: the agent, still opening its session, is not told and gets the next message."""
    slow = scripted("slow-new=1", log=agent_log.path)
    server = await start_server(agents={"slow": slow})
    async with talking(server, workspace, "slow") as talk:
        first = await talk.send(script(say("one")))
        await until(lambda: len(agent_log.received("session/new")) == 1, 30)
        await stop(talk)
        assert (await talk.ended(first))["stop_reason"] == "cancelled"
        assert (await talk.run(script(say("two"))))["stop_reason"] == "end_turn"
        assert agent_log.prompts() == [script(say("two"))]
        assert len(agent_log.starts()) == len(agent_log.received("session/new")) == 1
        await talk.judge(text="two")


async def test_stopping_twice_stops_once(server: Server, workspace: Path, agent_log: AgentLog) -> None:
    """K7: a second click changes nothing; with nothing running it is refused."""
    async with talking(server, workspace, "scripted-ignore-cancel") as talk:
        hold = script(say("one"), touch("said"), wait_file("go"))
        turn = await talk.send(hold)
        await until((workspace / "said").exists, 30)
        replies = [await talk.cancel() for _ in range(3)]
        assert replies == [{"turn": turn}] * 3
        (workspace / "go").touch()
        await talk.ended(turn)
        with pytest.raises(ApiError, match=r"409 conflict: Nothing is running"):
            await talk.cancel()
        assert len(agent_log.received("session/cancel")) == 1
        assert len(talk.notices("stopping")) == 1
        await talk.judge(text="one")


@pytest.mark.slow
@pytest.mark.timeout(LONG_SECONDS)
async def test_a_stop_and_a_normal_end_that_race_leave_one_end(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F29"""
    server = await start_server(env={"VOXPILOT_QUIET_TIME": "0"})
    async with anyio.create_task_group() as talks:
        for number in range(CHATS):
            talks.start_soon(stop_at_the_end, server, workspace, RACES // CHATS, random.Random(number))
    ends = ask(server.database, "SELECT state, stop_reason FROM turns WHERE number > 1")
    assert len(ends) == RACES
    assert set(ends) == {("done", "end_turn"), ("cancelled", "cancelled")}
    assert min(ends.count(end) for end in set(ends)) > RACES / 50, "the race was never close"
    assert len(agent_log.starts()) == CHATS, "no agent had to be ended"
    assert "step failed" not in server.stderr
