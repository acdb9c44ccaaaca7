"""Agents that cannot be started, or will not begin.

What needs processes: tests/faults/sessions/test_starting.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import say, script, spoken_by
from tests.kit.clients.driver import Talk, ask, talking
from tests.kit.servers.config import scripted
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

PROMPT = script(say("hello"))


async def fail_to_start(talk: Talk) -> dict[str, Any]:
    """Send a message to an agent that cannot begin; the turn's error."""
    ended = await talk.run(PROMPT)
    assert ended["stop_reason"] == "error"
    assert talk.states() == ["failed"]
    message = next(row.data for row in talk.rows() if row.kind == "message")
    assert message["text"] == PROMPT, "the typed prompt is kept"
    await talk.judge(text="")
    return dict(ended["error"])


async def test_an_agent_that_hangs_at_the_beginning_can_be_stopped(server: Server, workspace: Path) -> None:
    """F5: the stop button works before there is a session, and the next message starts it again."""
    async with talking(server, workspace, "scripted-hang-init") as talk:
        first = await talk.send(PROMPT)
        await until(lambda: len(server.running_agents()) == 1, 10)
        await talk.cancel()
        assert (await talk.ended(first))["stop_reason"] == "cancelled"
        second = await talk.send(PROMPT)
        await until(lambda: talk.processes() == ["ended", "starting"], 30)
        assert talk.state_of(second) == "running"
        await talk.cancel()
        await talk.ended(second)
        await until(lambda: server.running_agents() == [], 30)
        assert talk.states() == ["cancelled", "cancelled"]
        await talk.judge(text="")


async def test_an_agent_of_another_version_is_told_apart(start_server: StartServer, workspace: Path) -> None:
    """F6: a newer version, none, and a string."""
    versions = {"2": "2", '"1"': "'1'", "0": "0"}
    server = await start_server(agents={f"v{said}": scripted(f"version={said}") for said in versions})
    for said, shown in versions.items():
        async with talking(server, workspace, f"v{said}") as talk:
            error = await fail_to_start(talk)
            assert f"version {shown}, but VoxPilot uses 1" in error["message"]
    await until(lambda: server.running_agents() == [], 5)


async def test_an_agent_that_fails_again_and_again_is_left_alone(server: Server, workspace: Path) -> None:
    """F25: five failures within a minute, then it is not even tried."""
    async with talking(server, workspace, "scripted-exit-at-spawn") as talk:
        for _ in range(5):
            assert "exit code 3" in (await talk.run(PROMPT))["error"]["message"]
        for _ in range(3):
            error = (await talk.run(PROMPT))["error"]
            assert error["code"] == "crash-loop"
            assert error["hint"]
        assert talk.processes() == ["ended"] * 5
        assert talk.states() == ["failed"] * 8
        await talk.judge(text="")
    async with talking(server, workspace) as other:
        await other.run(PROMPT)
        assert other.text() == spoken_by(PROMPT)


async def test_messages_queued_behind_a_failing_agent_do_not_hammer_it(
    server: Server, workspace: Path
) -> None:
    """F25: twenty messages at once cost five starts."""
    async with talking(server, workspace, "scripted-exit-at-spawn") as talk:
        turns = [await talk.send(PROMPT) for _ in range(20)]
        for turn in turns:
            await talk.ended(turn)
        started = ask(server.database, "SELECT count(*) FROM agent_processes")
        assert started == [(5,)]
        await talk.judge(text="")
