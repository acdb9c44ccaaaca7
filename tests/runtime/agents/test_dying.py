"""Agents, keepers and chats that go away in mid-turn, and what they leave: nothing but the log.

What needs processes: tests/faults/agents/test_dying.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.script import (
    chunks,
    die,
    error,
    leave,
    say,
    script,
    spoken_by,
    wait_file,
)
from tests.kit.clients.driver import said_by, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server

pytestmark = pytest.mark.in_memory
ENDS = {
    leave(0): "exit code 0",
    leave(7): "exit code 7",
    die("SEGV"): "signal 11, SIGSEGV",
    die("TERM"): "signal 15, SIGTERM",
}


async def test_an_agent_that_leaves_in_mid_turn_interrupts_it(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F24, F23: with the exit code or the signal; every chunk before it is there."""
    said = ""
    for end, words in ENDS.items():
        prompt = script(chunks(500), end)
        async with talking(server, workspace) as talk:
            ended = await talk.run(prompt)
            assert ended["stop_reason"] == "interrupted"
            assert words in ended["error"]["message"]
            await talk.judge(text=spoken_by(prompt))
        said += spoken_by(prompt)
    assert said_by(agent_log) == said


async def test_messages_queued_behind_one_that_fails_run_in_order(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """F24: after an error and after a crash; each runs once."""
    prompts = [
        script(wait_file("go"), say("a"), error(-32603, "broken")),
        script(say("b"), die()),
        script(say("c")),
        script(say("d"), leave(1)),
        script(say("e")),
    ]
    async with talking(server, workspace) as talk:
        turns = [await talk.send(prompt) for prompt in prompts]
        assert (await talk.api.chat(talk.id))["queued"] == 4
        (workspace / "go").touch()
        ends = [await talk.ended(turn) for turn in turns]
        assert talk.states() == ["failed", "interrupted", "done", "interrupted", "done"]
        assert "broken" in ends[0]["error"]["message"]
        assert agent_log.prompts() == prompts
        assert len(agent_log.starts()) == 3
        await talk.judge(text="abcde")
