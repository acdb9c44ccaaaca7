"""Stop means stop: one end for every turn, also when the agent does not listen."""

from __future__ import annotations

import random
import time
from pathlib import Path

import anyio
import pytest

from tests.conftest import StartServer
from tests.fakes.script import (
    cancel_race,
    chunks,
    flood,
    say,
    script,
    silent,
    spoken_by,
    touch,
    wait_file,
)
from tests.faults.driver import LONG_SECONDS, NIGHTLY, SLACK, Talk, ask, talking
from tests.kit.agent_log import AgentLog
from tests.kit.client import ApiError
from tests.kit.config import scripted
from tests.kit.processes import is_alive, marked
from tests.kit.server import ServerProcess
from tests.kit.sse import Event
from tests.kit.waiting import until

RACES = 5_000 if NIGHTLY else 520
CHATS = 4


def stopping(event: Event) -> bool:
    return event.kind == "notice" and event.data["code"] == "stopping"


def process_states(server: ServerProcess, chat: str) -> list[str]:
    sql = "SELECT state FROM agent_processes WHERE chat_id = ? ORDER BY started_at"
    return [state for (state,) in ask(server.database, sql, chat)]


def turn_state(server: ServerProcess, turn: str) -> str:
    return str(ask(server.database, "SELECT state FROM turns WHERE id = ?", turn)[0][0])


async def stop_and_time(talk: Talk) -> float:
    """Stop the running turn; how long until "stopping" was seen, counted from before the request."""
    begun = time.monotonic()
    await talk.cancel()
    await talk.sees(stopping)
    return time.monotonic() - begun


async def test_a_stopped_turn_keeps_what_was_said_and_the_agent_goes_on(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """K7: "stopping" within 100 ms, the end within 5 s; the same agent takes the next message."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(chunks(50), touch("said"), silent()))
        await until((workspace / "said").exists, 30)
        await talk.says(spoken_by(script(chunks(50))))
        assert await stop_and_time(talk) <= 0.1 * SLACK
        assert (await talk.ended(turn, 5 * SLACK))["stop_reason"] == "cancelled"
        await talk.run(script(say("again")))
        assert talk.states() == ["cancelled", "done"]
        assert len(agent_log.starts()) == 1
        await talk.judge(text=spoken_by(script(chunks(50))) + "again")


async def test_an_agent_that_ignores_cancel_is_ended_by_force(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F27: "stopping" at once, a forced stop when the time is up, the turn cancelled, the tree gone."""
    server = await start_server(env={"VOXPILOT_CANCEL_TIMEOUT": "0.5"})
    async with talking(server, workspace, "scripted-ignore-cancel") as talk:
        turn = await talk.send(script(chunks(20), touch("said"), silent()))
        await until((workspace / "said").exists, 30)
        assert await stop_and_time(talk) <= 0.1 * SLACK
        begun = time.monotonic()
        ended = await talk.ended(turn, 15 * SLACK)
        assert 0.4 <= time.monotonic() - begun <= 1 * SLACK
        assert ended["stop_reason"] == "cancelled"
        assert len(talk.notices("forced-stop")) == 1
        assert talk.states() == ["cancelled"]
        await until(lambda: len(marked(mark)) == 1, 5 * SLACK)
        await until(lambda: talk.processes() == ["ended"], 5 * SLACK)
        assert len(agent_log.received("session/cancel")) == 1
        await talk.judge(text=spoken_by(script(chunks(20))))


async def test_what_was_queued_behind_a_forced_stop_is_not_lost(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F27: the next message goes to a new process, though the old one was still on its way out."""
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
    """F85: the idle agent takes its time to leave, and the message waits for it."""
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
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F18: the chat tells when the last sign of life was, and a look from time to time changes nothing."""
    async with talking(server, workspace, "scripted-silent") as talk:
        turn = await talk.send(script(say("never")))
        await until(lambda: len(agent_log.prompts()) == 1, 30)
        await talk.sees(lambda e: e.kind == "agent-status" and e.data["status"] == "busy")
        last = talk.rows()[-1].data["at"]
        for _ in range(20):
            shown = await talk.api.chat(talk.id)
            assert shown["running"]
            assert abs(shown["updated_at"] - last) < 0.05 * SLACK
        assert await stop_and_time(talk) <= 0.1 * SLACK
        assert (await talk.ended(turn, 5 * SLACK))["stop_reason"] == "cancelled"
        assert all(is_alive(pid) for pid in agent_log.starts())
        await talk.judge(text="")


async def test_a_cooperative_agent_can_be_stopped_in_a_flood(
    start_server: StartServer, workspace: Path
) -> None:
    """F16: what came until then is all there, and nothing after."""
    server = await start_server(agents={"loud": scripted(options=["--no-log-out"])})
    async with talking(server, workspace, "loud") as talk:
        turn = await talk.send(script(flood(1_000_000)))
        await talk.says("[000999]")
        assert await stop_and_time(talk) <= 0.1 * SLACK
        assert (await talk.ended(turn, 5 * SLACK))["stop_reason"] == "cancelled"
        text = talk.text()
        assert len(text) % (1000 * len("[000000]")) == 0, "whole batches of the agent"
        assert len(text) < 1_000_000 * len("[000000]"), "the flood was over before it could be stopped"
        await talk.judge(text=spoken_by(script(flood(len(text) // len("[000000]")))))


async def test_a_turn_stopped_before_its_prompt_went_out_is_never_sent(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """K7: the agent, still opening its session, hears nothing of it and takes the next message."""
    slow = scripted("slow-new=1", log=agent_log.path)
    server = await start_server(agents={"slow": slow})
    async with talking(server, workspace, "slow") as talk:
        first = await talk.send(script(say("one")))
        await until(lambda: len(agent_log.received("session/new")) == 1, 30)
        assert await stop_and_time(talk) <= 0.1 * SLACK
        assert (await talk.ended(first))["stop_reason"] == "cancelled"
        assert (await talk.run(script(say("two"))))["stop_reason"] == "end_turn"
        assert agent_log.prompts() == [script(say("two"))]
        assert len(agent_log.starts()) == len(agent_log.received("session/new")) == 1
        await talk.judge(text="two")


async def test_stopping_twice_stops_once(server: ServerProcess, workspace: Path, agent_log: AgentLog) -> None:
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


@pytest.mark.timeout(LONG_SECONDS)
async def test_a_stop_and_a_normal_end_that_race_leave_one_end(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F29"""
    server = await start_server(env={"VOXPILOT_QUIET_TIME": "0"})
    async with anyio.create_task_group() as talks:
        for number in range(CHATS):
            talks.start_soon(race, server, workspace, RACES // CHATS, random.Random(number))
    ends = ask(server.database, "SELECT state, stop_reason FROM turns WHERE number > 1")
    assert len(ends) == RACES
    assert set(ends) == {("done", "end_turn"), ("cancelled", "cancelled")}
    assert min(ends.count(end) for end in set(ends)) > RACES / 50, "the race was never close"
    assert len(agent_log.starts()) == CHATS, "no agent had to be ended"
    assert "step failed" not in server.stderr


async def race(server: ServerProcess, workspace: Path, count: int, chance: random.Random) -> None:
    """Turns that end by themselves at about the time they are stopped."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("begin")))
        for _ in range(count):
            turn = await talk.send(script(cancel_race(chance.uniform(0, 12))))
            await anyio.sleep(chance.uniform(0, 0.02))
            stopped = await talk.api.request("POST", f"/api/chats/{talk.id}/cancel", json={})
            told = {202: "cancelled", 409: "end_turn"}[stopped.status_code]
            assert (await talk.ended(turn))["stop_reason"] == told
        rows = await talk.judge(text="begin")
        ended = [row.data["turn"] for row in rows if row.kind == "turn-ended"]
        assert len(ended) == len(set(ended)) == count + 1
