"""A message that arrived before anybody knew that the agent was gone.

The prompt is in the outbox and never left it. The next process gets it, because
the agent cannot have seen it; a prompt that may have left is never sent again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import leave, say, script, wait_file
from tests.kit.clients.driver import Talk, ask, talking
from tests.kit.memory.server import MemoryServer
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

FIRST, HELLO = script(say("one")), script(say("two"))
End = Callable[[MemoryServer, int], None]
ENDS: dict[str, End] = {
    "keeper lost": lambda server, agent: server.kill_keeper(agent),
    "exit code 1": lambda server, agent: server.keepers.of_agent(agent).exit(1),
    "signal 9": lambda server, agent: server.signal_agent(agent),
}


async def run_first(talk: Talk, log: AgentLog) -> int:
    """Have the agent answer once, so that it has a session; its pid."""
    await talk.run(FIRST)
    return log.starts()[-1]


async def send_unheard(talk: Talk) -> str:
    """Send a message while the agent cannot be reached, and wait until its prompt is in the outbox."""
    turn = await talk.send(HELLO)
    await until(lambda: bool(ask(talk.server.database, "SELECT 1 FROM outbox")), 10)
    return turn


@pytest.mark.parametrize("end", ENDS)
async def test_a_prompt_that_never_left_goes_to_the_next_process(
    server: MemoryServer, workspace: Path, agent_log: AgentLog, end: str
) -> None:
    async with talking(server, workspace) as talk:
        agent = await run_first(talk, agent_log)
        server.keepers.lose()
        turn = await send_unheard(talk)
        ENDS[end](server, agent)
        server.keepers.find()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert agent_log.prompts() == [FIRST, HELLO]
        assert len(agent_log.starts()) == 2
        await talk.judge(text="onetwo")


@pytest.mark.parametrize("end", ENDS)
async def test_a_prompt_that_may_have_left_is_not_sent_again(
    server: MemoryServer, workspace: Path, agent_log: AgentLog, end: str
) -> None:
    async with talking(server, workspace) as talk:
        agent = await run_first(talk, agent_log)
        server.keepers.lose(lines_leave=True)
        turn = await send_unheard(talk)
        ENDS[end](server, agent)
        server.keepers.find()
        assert (await talk.ended(turn))["stop_reason"] == "interrupted"
        assert agent_log.prompts() == [FIRST]
        assert talk.processes() == ["ended"]
        await talk.judge(text="one")


async def test_a_prompt_that_may_have_left_before_a_restart_is_not_sent_again(
    server: MemoryServer, workspace: Path, agent_log: AgentLog
) -> None:
    """The next server cannot know which lines the one before it has sent."""
    async with talking(server, workspace) as talk:
        agent = await run_first(talk, agent_log)
        server.keepers.lose()
        turn = await send_unheard(talk)
        await server.kill()
        server.kill_keeper(agent)
        server.keepers.find()
        await server.start()
        assert (await talk.ended(turn))["stop_reason"] == "interrupted"
        assert agent_log.prompts() == [FIRST]


async def test_a_stopped_turn_is_not_sent_again(
    server: MemoryServer, workspace: Path, agent_log: AgentLog
) -> None:
    async with talking(server, workspace) as talk:
        agent = await run_first(talk, agent_log)
        server.keepers.lose()
        turn = await send_unheard(talk)
        await talk.cancel()
        server.kill_keeper(agent)
        server.keepers.find()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert agent_log.prompts() == [FIRST]


async def test_a_process_that_never_became_ready_is_not_started_over(
    start_server: StartServer, workspace: Path
) -> None:
    """Otherwise an agent that cannot start would be started forever."""
    server = await start_server(agents={"none": {"command": "no-such-program"}})
    async with talking(server, workspace, "none") as talk:
        assert (await talk.run(HELLO))["stop_reason"] == "error"
        assert talk.processes() == ["ended"]


async def test_an_agent_that_exits_in_its_turn_is_not_prompted_again(
    server: MemoryServer, workspace: Path, agent_log: AgentLog
) -> None:
    prompt = script(wait_file("go"), leave(1))
    async with talking(server, workspace) as talk:
        turn = await talk.send(prompt)
        (workspace / "go").touch()
        assert (await talk.ended(turn))["stop_reason"] == "interrupted"
        assert agent_log.prompts() == [prompt]
