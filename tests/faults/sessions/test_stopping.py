"""Stop means stop: one end for every turn, also when the agent does not listen.

What needs no processes: tests/runtime/sessions/test_stopping.py.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

from tests.conftest import StartServer
from tests.fakes.script import (
    chunks,
    flood,
    say,
    script,
    silent,
    spoken_by,
    touch,
)
from tests.kit.clients.driver import SLACK, Talk, ask, talking
from tests.kit.clients.sse import Event
from tests.kit.clients.stop_race import stop_at_the_end
from tests.kit.machine.processes import marked
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

RACES = 50


def stopping(event: Event) -> bool:
    return event.kind == "notice" and event.data["code"] == "stopping"


async def stop_and_time(talk: Talk) -> float:
    """Stop the running turn; returns how long until "stopping" was shown, from before the request."""
    begun = time.monotonic()
    await talk.cancel()
    await talk.sees(stopping)
    return time.monotonic() - begun


async def test_a_stopped_turn_keeps_what_was_said_and_the_agent_goes_on(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """K7: "stopping" within 100 ms, the end within 5 s; the same agent gets the next message."""
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
    """F27: "stopping" immediately, a forced stop in time, the turn cancelled, the process tree gone."""
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


async def test_a_cooperative_agent_can_be_stopped_in_a_flood(
    start_server: StartServer, workspace: Path
) -> None:
    """F16: everything until then is there, and nothing after it."""
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


async def test_a_stop_and_a_normal_end_that_race_leave_one_end(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F29, with processes: who is first is up to the machine. Hundreds of races run in memory."""
    server = await start_server(env={"VOXPILOT_QUIET_TIME": "0"})
    await stop_at_the_end(server, workspace, RACES, random.Random(29))
    ends = ask(server.database, "SELECT state, stop_reason FROM turns WHERE number > 1")
    assert len(ends) == RACES
    assert set(ends) == {("done", "end_turn"), ("cancelled", "cancelled")}
    assert len(agent_log.starts()) == 1, "the agent did not have to be ended"
