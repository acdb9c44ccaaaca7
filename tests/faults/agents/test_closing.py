"""Sessions that nobody will want again are closed with the agent before it is ended.

What needs no processes: tests/runtime/agents/test_closing.py.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.assistant import assistant, chatting, delegate
from tests.kit.clients.driver import SLACK, talking
from tests.kit.machine.processes import marked
from tests.kit.peers.agent_log import AgentLog
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until


def closed(agent_log: AgentLog) -> list[Any]:
    return [frame["params"]["sessionId"] for frame in agent_log.received("session/close")]


def prompted(agent_log: AgentLog) -> list[Any]:
    return [frame["params"]["sessionId"] for frame in agent_log.received("session/prompt")]


def nothing_is_left(server: ServerProcess, mark: str) -> bool:
    kept = list((server.data_dir / "keepers").iterdir())
    return not kept and not [found for found in marked(mark) if "scripted_agent" in found.command]


async def test_every_named_session_of_a_deleted_chat_is_closed(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, llm: ScriptedLlm, mark: str
) -> None:
    server = await start_server(settings=assistant(llm))
    async with chatting(server, workspace) as talk:
        await talk.run(f"{delegate(script(say('a')), 'A')}\n{delegate(script(say('b')), 'B')}\nsay end")
        await talk.api.delete_chat(talk.id)
        assert sorted(closed(agent_log)) == sorted(prompted(agent_log))
        assert nothing_is_left(server, mark)


async def test_an_agent_that_never_closes_is_ended_all_the_same(
    server: ServerProcess, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    """F87: deleting takes limited time, even if the server is killed while it waits."""
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
