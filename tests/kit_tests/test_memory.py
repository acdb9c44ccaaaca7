"""The server in memory: its time, its agents, and that a chat in it is the same as with processes."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.fakes.script import (
    ALLOW,
    ask,
    chunks,
    late,
    leave,
    plan,
    raw,
    say,
    script,
    sleep,
    spawn,
    stderr,
    think,
    tool,
    tool_update,
    wait_file,
)
from tests.kit.clients.driver import talking
from tests.kit.memory.loop import MemoryLoop, NothingLeft
from tests.kit.memory.server import MemoryServer
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import scripted_agents, write_config
from tests.kit.servers.running import Server
from tests.kit.waiting import until

in_memory = pytest.mark.in_memory
DAY = 86_400.0
OWN = (
    "at",
    "last_at",
    "seq",
    "first_seq",
    "id",
    "turn",
    "message_id",
    "question_id",
    "expires_at",
    "version",
)
"""What differs between two runs of the same chat."""


@in_memory
async def test_a_day_passes_at_once() -> None:
    begun, began = time.monotonic(), anyio.current_time()
    await anyio.sleep(DAY)
    assert anyio.current_time() - began == pytest.approx(DAY, abs=1)
    assert time.monotonic() - begun < 5


@in_memory
async def test_what_is_due_first_comes_first() -> None:
    seen: list[int] = []
    async with anyio.create_task_group() as tasks:

        async def note(number: int) -> None:
            await anyio.sleep(number)
            seen.append(number)

        for number in (3, 1, 2):
            tasks.start_soon(note, number)
    assert seen == [1, 2, 3]


def test_a_wait_that_cannot_end_fails_at_once() -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    with asyncio.Runner(loop_factory=MemoryLoop) as runner, pytest.raises(NothingLeft):
        runner.run(wait())


@in_memory
async def test_an_agent_outlives_its_server_and_is_found_again(
    server: MemoryServer, workspace: Path, agent_log: AgentLog
) -> None:
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("one"), wait_file("go"), say("two")))
        await talk.says("one")
        await server.kill()
        (workspace / "go").touch()
        await until(lambda: len(agent_log.sent("session/update")) == 2, 10)
        await server.start()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert server.running_agents() == agent_log.starts()
        await talk.judge(text="onetwo")


@in_memory
async def test_what_needs_a_process_is_refused_loudly(server: MemoryServer, workspace: Path) -> None:
    async with talking(server, workspace) as talk:
        ended = await talk.run(script(spawn("plain")))
        assert "has no children" in ended["error"]["message"]


PROMPTS = (
    script(
        think("hm"), say("one"), plan("a", "b"), tool("t1"), tool_update("t1", "completed", "done"), late("z")
    ),
    script(chunks(30), ask("t2"), raw("no json"), sleep(0.1), stderr("words")),
    script(say("last"), leave(3)),
    script(say("again")),
)


async def test_a_chat_in_memory_is_the_same_as_with_processes(
    server: Server, workspace: Path, place: Path
) -> None:
    real = await conversed(server, workspace)

    async def in_memory() -> list[Any]:
        folder = place / "memory"
        config = write_config(folder / "config.toml", scripted_agents(folder, ()))
        other = MemoryServer(folder / "data", config)
        await other.start()
        try:
            return await conversed(other, workspace)
        finally:
            await other.close()

    def run() -> list[Any]:
        with asyncio.Runner(loop_factory=MemoryLoop) as runner:
            return runner.run(in_memory())

    assert await asyncio.to_thread(run) == real


async def conversed(server: Server, workspace: Path) -> list[Any]:
    """What is stored of the same conversation, without what is different each time."""
    async with talking(server, workspace) as talk:
        for number, prompt in enumerate(PROMPTS):
            turn = await talk.send(prompt)
            if number == 1:
                await talk.answer(await talk.question(), ALLOW)
            await talk.ended(turn)
        rows = await talk.judge()
    told: list[Any] = []
    for row in rows:
        fact = (row.kind, {name: value for name, value in row.data.items() if name not in OWN})
        if (
            row.kind == "text-delta" and told and told[-1][0] == "text-delta"
        ):  # joined in another way each time
            told[-1][1]["content"] += fact[1]["content"]
        else:
            told.append(fact)
    return told
