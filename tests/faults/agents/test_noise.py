"""Agents that send too much, nothing, or what nobody can read.

What needs no processes: tests/runtime/agents/test_noise.py.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import (
    bigline,
    flood,
    say,
    script,
    spoken_by,
    stderr_flood,
    touch,
    wait_file,
)
from tests.kit.clients.driver import LONG_SECONDS, NIGHTLY, SLACK, Talk, keeper_of, percentile, talking
from tests.kit.machine.processes import sampling
from tests.kit.oracles.oracle import spoken
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

MB = 2**20
EXTRA_BYTES = 64 * MB
"""How much more memory bad input may cost, server and keeper together."""
UPDATES = 200_000
MANY_UPDATES = 1_000_000 if NIGHTLY else UPDATES


async def test_a_line_of_100_mb_is_skipped_and_costs_little(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F13, K10: one clear notice, the turn continues, and a second chat stays fast."""
    server = await start_server(env={"VOXPILOT_QUIET_TIME": "0"})
    prompt = script(say("before"), bigline(100), say("after"), wait_file("done"))
    async with talking(server, workspace) as talk, talking(server, workspace) as other:
        await talk.run(script(say("begin.")))
        keeper = keeper_of(agent_log.starts()[0])
        await other.run(script(say("x")))
        quiet = [await round_trip(other) for _ in range(10)]
        async with sampling(server.pid, keeper, every=0.01) as usage:
            turn = await talk.send(prompt)
            busy = []
            while "after" not in spoken(talk.viewer.events):
                busy.append(await round_trip(other))
        (workspace / "done").touch()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert usage.growth_bytes <= EXTRA_BYTES
        assert busy, "the line was over too soon to tell"
        assert [note["text"] for note in talk.notices("line-too-long")] == [
            "The agent sent a message that is too large (105 MB); it was skipped."
        ]
        assert percentile(busy, 0.95) <= max(percentile(quiet, 0.95), 0.1) * SLACK
        await talk.judge(text="begin.beforeafter")


async def round_trip(talk: Talk) -> float:
    begun = time.monotonic()
    await talk.run(script(say("x")))
    return time.monotonic() - begun


async def test_a_line_just_short_of_the_limit_comes_whole(server: ServerProcess, workspace: Path) -> None:
    """K10: 15 MB of text in one line, character by character."""
    prompt = script(say("a"), bigline(15), say("b"))
    async with talking(server, workspace) as talk:
        await talk.run(prompt, within=60)
        await talk.judge(text=spoken_by(prompt))


async def test_a_gigabyte_on_stderr_holds_nothing_up(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F15, K10: the turn finishes, at most a megabyte of it is kept."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("begin.")))
        keeper = keeper_of(agent_log.starts()[0])
        async with sampling(server.pid, keeper, every=0.05) as usage:
            ended = await talk.run(script(say("a"), stderr_flood(1024), say("b")), within=100)
        assert ended["stop_reason"] == "end_turn"
        assert usage.growth_bytes <= EXTRA_BYTES
        kept = sum(path.stat().st_size for path in (server.data_dir / "keepers").rglob("*") if path.is_file())
        assert kept <= 1 * MB
        await talk.judge(text="begin.ab")


async def test_a_flood_is_stored_whole_and_can_be_stopped(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """F16: "stopping" is shown immediately in the middle of it, the text is exact, memory stays bounded."""
    deaf = scripted("ignore-cancel", log=agent_log.path, options=["--no-log-out"])
    server = await start_server(agents={"loud": deaf}, env={"VOXPILOT_CANCEL_TIMEOUT": "600"})
    prompt = script(flood(UPDATES // 2), touch("half"), flood(UPDATES // 2))
    async with talking(server, workspace, "loud") as talk:
        await talk.run(script(say("begin.")))
        keeper = keeper_of(agent_log.starts()[0])
        async with sampling(server.pid, keeper, every=0.05) as usage:
            turn = await talk.send(prompt)
            await until((workspace / "half").exists, 60)
            begun = time.monotonic()
            await talk.cancel()
            await talk.notice("stopping")
            took = time.monotonic() - begun
            assert talk.of_kind("turn-ended")[1:] == [], "the flood was over before it could be stopped"
            ended = await talk.ended(turn, 60 * SLACK)
        assert took <= 0.1 * SLACK
        assert ended["stop_reason"] == "cancelled"
        assert usage.growth_bytes <= EXTRA_BYTES
        await talk.judge(text="begin." + spoken_by(prompt))


@pytest.mark.timeout(LONG_SECONDS)
async def test_a_flood_leaves_room_for_others(start_server: StartServer, workspace: Path) -> None:
    """F16: while one chat is flooded, the routes of another respond and its turns continue."""
    loud = scripted(options=["--no-log-out"])
    server = await start_server(agents={"loud": loud}, env={"VOXPILOT_QUIET_TIME": "0"})
    async with talking(server, workspace, "loud") as talk, talking(server, workspace) as other:
        await talk.run(script(say("begin.")))
        await other.run(script(say("x")))
        turn = await talk.send(script(flood(MANY_UPDATES)))
        await talk.says("[000999]")
        times = []
        while not any(end["turn"] == turn for end in talk.of_kind("turn-ended")):
            times.append(await round_trip(other))
        assert times, "the flood was over too soon to tell"
        assert percentile(times, 0.95) <= 0.5 * SLACK
        await talk.judge(text="begin." + spoken_by(script(flood(MANY_UPDATES))))
